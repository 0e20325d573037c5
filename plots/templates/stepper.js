"use strict";

function addButton(box, text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  box.append(made);
  return made;
}

// A worked example: one state at a time, with buttons and the arrow keys. `remember` is told the number of the state that
// a reader has chosen, counted from 1. Returns a function that shows the state of a number, counted from 0.
function stepper(example, remember) {
  const states = [...example.querySelectorAll("li")], switches = document.createElement("div");
  const told = document.createElement("output");
  let at = 0, playing = 0;
  const show = (number) => {
    at = Math.max(0, Math.min(number, states.length - 1));
    states.forEach((state, i) => { state.hidden = i !== at; });
    told.textContent = `${at + 1} of ${states.length}: ${states[at].dataset.name}`;
    if (at === states.length - 1) stop();
  };
  const choose = (number) => { show(number); remember(at + 1); };
  const stop = () => { clearInterval(playing); playing = 0; play.textContent = "play"; };
  addButton(switches, "back", () => { stop(); choose(at - 1); });
  addButton(switches, "next", () => { stop(); choose(at + 1); });
  const play = addButton(switches, "play", () => {
    if (playing) { stop(); return; }
    if (at === states.length - 1) choose(0);
    play.textContent = "pause";
    playing = setInterval(() => choose(at + 1), 1500);
  });
  switches.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    stop();
    choose(at + step);
  });
  switches.className = "switches";
  switches.append(told);
  example.querySelector("ol").before(switches);
  return show;
}
