"use strict";
(() => {
  const states = [...document.querySelectorAll("section.state")];
  const [number, slider] = ["number", "slider"].map((id) => document.getElementById(id));
  const last = states.length - 1;
  let at = 0;
  const show = (next) => {
    at = Math.min(Math.max(next, 0), last);
    states.forEach((state, place) => { state.hidden = place !== at; });
    number.value = at;
    slider.value = at;
    history.replaceState(null, "", "#" + at);
  };
  const steps = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => last };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };
  for (const id of Object.keys(steps)) {
    document.getElementById(id).onclick = () => show(steps[id]());
  }
  slider.oninput = () => show(Number(slider.value));
  document.onkeydown = (event) => {
    if (event.target !== slider && keys[event.key]) {
      event.preventDefault();
      show(steps[keys[event.key]]());
    }
  };
  show(Number(location.hash.slice(1)) || 0);
})();
