"use strict";
const told = {};
addEventListener("message", (event) => {
  told[event.data.page] = event.data;
  let list = document.getElementById("told");
  if (!list) {
    list = document.createElement("pre");
    list.id = "told";
    document.body.append(list);
  }
  list.textContent = JSON.stringify(told);
});
