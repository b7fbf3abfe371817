"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  let states, links, last, at = 0, timer = null;
  const show = (next) => {
    at = Math.min(Math.max(next, 0), last);
    states.forEach((state, place) => { state.hidden = place !== at; });
    links.forEach((link, place) => {
      if (place === at) {
        link.setAttribute("aria-current", "step");
      } else {
        link.removeAttribute("aria-current");
      }
    });
    // The list alone scrolls, not the page.
    const list = element("moves").parentElement;
    const row = links[at].parentElement;
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = row.offsetTop - list.clientHeight / 2;
    }
    const now = element("now");
    if (now) {
      const { first, last: end, states: count } = now.dataset;
      const x = Number(first) + (end - first) * Math.min(at, count - 1) / (count - 1);
      now.setAttribute("x1", x);
      now.setAttribute("x2", x);
    }
    element("number").value = at;
    element("slider").value = at;
    history.replaceState(null, "", "#" + at);
  };
  const read = () => {
    states = [...document.querySelectorAll("section.state")];
    links = [...element("moves").querySelectorAll("a")];
    links.forEach((link, place) => {
      link.onclick = (event) => {
        event.preventDefault();
        show(place);
      };
    });
    for (const link of document.querySelectorAll("a.mistake")) {
      link.onclick = (event) => {
        event.preventDefault();
        show(Number(link.dataset.state));
      };
    }
    last = states.length - 1;
    element("slider").max = last;
    element("count").textContent = last;
  };
  const play = (plays) => {
    clearInterval(timer);
    const step = () => at < last ? show(at + 1) : play(false);
    timer = plays ? setInterval(step, 1000 / Number(element("speed").value)) : null;
    const button = element("play");
    button.setAttribute("aria-pressed", plays);
    button.textContent = plays ? "pause" : "play";
    button.setAttribute("aria-label", button.textContent);
  };
  const toggle = () => {
    if (timer === null && at === last) {
      show(0);
    }
    play(timer === null);
  };
  const steps = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => last };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };
  for (const id of Object.keys(steps)) {
    element(id).onclick = () => show(steps[id]());
  }
  element("play").onclick = toggle;
  element("speed").onchange = () => play(timer !== null);
  element("slider").oninput = (event) => show(Number(event.target.value));
  document.onkeydown = (event) => {
    const tag = event.target.tagName;
    // A range and a list take arrows themselves, and a space presses what has the focus.
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "INPUT" || tag === "SELECT") {
      return;
    }
    if (keys[event.key]) {
      event.preventDefault();
      show(steps[keys[event.key]]());
    } else if (event.key === " " && tag !== "BUTTON" && tag !== "A") {
      event.preventDefault();
      toggle();
    }
  };
  document.querySelector("nav").hidden = false;
  read();
  const follow = async () => {
    const text = await (await fetch(location.pathname)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const follows = at === last;
    for (const part of ["main", ".side", "#players", ".about"]) {
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
