"use strict";
(() => {
  // Pages may have such names of their own.
  const page = window.name;
  const around = window.parent;
  const problems = [];
  addEventListener("error", (event) => problems.push("error: " + event.message));
  addEventListener("unhandledrejection", (event) => problems.push("error: " + event.reason));
  const log = console.error;
  console.error = (...parts) => {
    problems.push("console: " + parts.join(" "));
    log(...parts);
  };
  // The least ratio of WCAG 2.1, section 1.4.3, for text of usual size; and for large text.
  const LEAST = 4.5;
  const LEAST_LARGE = 3;
  // The least height of text in charts, in pixels.
  const LEAST_TEXT = 11;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  // Any color of CSS as red, green, blue and opacity.
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (above, below) => above.slice(0, 3).map((part, i) => part * above[3] + below[i] * (1 - above[3]));
  // Relative luminance, WCAG 2.1.
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const background = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.push(rgba(getComputedStyle(at).backgroundColor));
    }
    return layers.reverse().reduce((below, above) => over(above, below), [255, 255, 255]);
  };
  const look = () => {
    const all = document.scrollingElement;
    if (all.scrollWidth > innerWidth) {
      problems.push(`wide: ${all.scrollWidth} of ${innerWidth}`);
    }
    let chart_texts = 0;
    for (const element of document.querySelectorAll("body *")) {
      const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("").trim();
      const style = getComputedStyle(element);
      if (!text || element.getClientRects().length === 0 || style.visibility === "hidden" || ["SCRIPT", "OPTION", "TITLE"].includes(element.tagName.toUpperCase())) {
        continue;
      }
      const chart = element.closest("svg.plot");
      if (chart && element.getScreenCTM) {
        chart_texts += 1;
        const height = parseFloat(style.fontSize) * element.getScreenCTM().a;
        if (height < LEAST_TEXT) {
          problems.push(`small: ${height.toFixed(1)} px of "${text}"`);
        }
      }
      // What stands on boards stands on what is drawn there.
      if (element.closest("svg") && !chart || element.closest(":disabled")) {
        continue;
      }
      const color = rgba(chart ? style.fill : style.color);
      const below = background(chart || element);
      const size = parseFloat(style.fontSize);
      const least = size >= 24 || size >= 18.6 && style.fontWeight >= 700 ? LEAST_LARGE : LEAST;
      const ratio = contrast(over(color, below), below);
      if (ratio < least) {
        problems.push(`pale: ${ratio.toFixed(2)} of "${text.slice(0, 40)}" (${element.tagName})`);
      }
    }
    return chart_texts;
  };
  addEventListener("load", () => {
    const facts = { page, problems, scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" };
    facts.chart_texts = look();
    const scrolls = (box) => box.querySelector("table") && box.scrollWidth > box.clientWidth;
    facts.scrolling_tables = [...document.querySelectorAll(".scroll")].filter(scrolls).length;
    const tell = () => around.postMessage(facts, "*");
    const play = document.querySelector("nav #play");
    if (!play) {
      setTimeout(tell, 100);
      return;
    }
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const at = () => Number(document.getElementById("number").value);
    const expect = (what, found, expected) => {
      if (found !== expected) {
        problems.push(`${what}: ${found}, not ${expected}`);
      }
    };
    const last = Number(document.getElementById("count").textContent);
    const now = () => Number(document.getElementById("now").getAttribute("x1"));
    const start = now();
    press("End");
    expect("the end", at(), last);
    expect("the plot follows", now() > start, true);
    const links = [...document.querySelectorAll("#moves a")];
    expect("links", links.length, last + 1);
    links[2].click();
    expect("a link", at(), 2);
    expect("the current", document.querySelector("#moves [aria-current]").parentElement, links[2].parentElement);
    press("ArrowRight");
    expect("forward", at(), 3);
    press("Home");
    expect("the start", at(), 0);
    expect("visible states", [...document.querySelectorAll("section.state")].filter((state) => !state.hidden).length, 1);
    document.getElementById("speed").value = "10";
    press(" ");
    expect("pressed", play.getAttribute("aria-pressed"), "true");
    setTimeout(() => {
      press(" ");
      facts.played = at();
      expect("released", play.getAttribute("aria-pressed"), "false");
      tell();
    }, 550);
  });
})();
