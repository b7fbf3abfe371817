"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  let states, last, at = 0;
  const show = (next) => {
    at = Math.min(Math.max(next, 0), last);
    states.forEach((state, place) => { state.hidden = place !== at; });
    element("number").value = at;
    element("slider").value = at;
    history.replaceState(null, "", "#" + at);
  };
  const read = () => {
    states = [...document.querySelectorAll("section.state")];
    last = states.length - 1;
    element("slider").max = last;
    element("count").textContent = last;
  };
  const steps = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => last };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };
  for (const id of Object.keys(steps)) {
    element(id).onclick = () => show(steps[id]());
  }
  element("slider").oninput = (event) => show(Number(event.target.value));
  document.onkeydown = (event) => {
    if (event.target !== element("slider") && keys[event.key]) {
      event.preventDefault();
      show(steps[keys[event.key]]());
    }
  };
  read();
  const follow = async () => {
    const text = await (await fetch(location.pathname)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const follows = at === last;
    for (const part of ["main", "#players", ".about"]) {
      document.querySelector(part).replaceWith(page.querySelector(part));
    }
    read();
    show(follows ? last : at);
    if ("live" in element("states").dataset) {
      setTimeout(follow, 1000);
    }
  };
  if ("live" in element("states").dataset) {
    show(last);
    setTimeout(follow, 1000);
  } else {
    show(Number(location.hash.slice(1)) || 0);
  }
})();
