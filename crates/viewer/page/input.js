// Mouse, touch and keyboard.

// Every key of the page: what it is called, what it does, which action it starts.
const KEYS = [
  ["Playback", [
    ["Space", "Play or pause", "play", [" "]],
    ["←  →", "One frame back, forward", null],
    ["PgUp  PgDn", "Ten frames back, forward", null],
    ["Home  End", "First, last frame", null],
    [",  .", "Slower, faster", null],
    ["L", "Follow the live run", "live", ["l"]],
  ]],
  ["Camera", [
    ["Drag", "Turn (one finger)", null],
    ["Shift+drag", "Move (right button, two fingers)", null],
    ["Wheel", "Nearer, farther (pinch)", null],
    ["Shift+arrows", "Turn", null],
    ["+  −", "Nearer, farther", null],
    ["1  2  3", "From the front, side, top", null],
    ["R", "Frame the scene", "frame", ["r"]],
    ["O", "Follow the selected body", "follow", ["o"]],
  ]],
  ["Bodies", [
    ["Click", "Select", null],
    ["Double click", "Look at", null],
    ["N  Shift+N", "Select next, previous", null],
    ["Escape", "Deselect", "deselect", ["Escape"]],
  ]],
  ["Show", [
    ["C", "Contact points", "contacts", ["c"]],
    ["F", "Contact forces", "forces", ["f"]],
    ["W", "Wireframe", "wireframe", ["w"]],
    ["K", "Collision shapes", "colliders", ["k"]],
    ["S", "Stress of soft bodies", "stress", ["s"]],
    ["G", "Ground grid", "grid", ["g"]],
    ["P", "Plots", "plots", ["p"]],
    ["T", "Dark or light", "theme", ["t"]],
    ["U", "Hide or show all panels", "panels", ["u"]],
    ["?", "This list", "help", ["?"]],
  ]],
];

function fillHelp(element) {
  for (const [title, entries] of KEYS) {
    const section = document.createElement("section");
    section.append(Object.assign(document.createElement("h3"), { textContent: title }));
    for (const [key, what] of entries) {
      const row = document.createElement("div");
      const names = document.createElement("span");
      names.append(...key.split("  ").flatMap((one) => [Object.assign(document.createElement("kbd"), { textContent: one }), " "]));
      row.append(Object.assign(document.createElement("span"), { textContent: what }), names);
      section.append(row);
    }
    element.append(section);
  }
}

/** Connects the keyboard to the application's actions. */
function listenToKeys(app) {
  const named = new Map(KEYS.flatMap(([, entries]) => entries).filter((entry) => entry[2]).flatMap(([, , action, keys]) => keys.map((key) => [key, action])));
  const others = {
    ArrowLeft: (event) => (event.shiftKey ? app.camera.turn(20, 0) : app.timeline.step(-1)),
    ArrowRight: (event) => (event.shiftKey ? app.camera.turn(-20, 0) : app.timeline.step(1)),
    ArrowUp: (event) => event.shiftKey && app.camera.turn(0, 20),
    ArrowDown: (event) => event.shiftKey && app.camera.turn(0, -20),
    PageUp: () => app.timeline.step(-10),
    PageDown: () => app.timeline.step(10),
    Home: () => app.timeline.seek(app.run.start),
    End: () => app.timeline.seek(app.run.end),
    ",": () => app.timeline.changeSpeed(-1),
    ".": () => app.timeline.changeSpeed(1),
    "+": () => app.camera.zoom(0.85),
    "=": () => app.camera.zoom(0.85),
    "-": () => app.camera.zoom(1 / 0.85),
    1: () => app.camera.goTo({ yaw: -Math.PI / 2, pitch: 0.05 }),
    2: () => app.camera.goTo({ yaw: 0, pitch: 0.05 }),
    3: () => app.camera.goTo({ yaw: -Math.PI / 2, pitch: 1.55 }),
    n: () => app.selectNext(1),
    N: () => app.selectNext(-1),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.getElementById("help").open) return;
    const { tagName, type } = event.target;
    if (tagName === "SELECT" && event.key.length > 1 && event.key !== "Escape") return; // arrows choose in the list
    if (tagName === "SELECT" && event.key === " ") return;
    if ((tagName === "BUTTON" || type === "checkbox") && (event.key === " " || event.key === "Enter")) return; // they press themselves
    if (event.target.id === "force-scale" && event.key.startsWith("Arrow")) return;
    const action = named.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (action) app.act(action);
    else if (others[event.key]) others[event.key](event);
    else return;
    event.preventDefault();
    app.invalidate();
  });
}

/** Connects pointers over the view to the camera and to picking. */
function listenToPointers(app) {
  const { view } = app;
  const pointers = new Map();
  let travelled = 0;
  const middle = () => {
    const all = Array.from(pointers.values());
    const mean = (key) => all.reduce((sum, p) => sum + p[key], 0) / all.length;
    const x = mean("x"), y = mean("y");
    return { x, y, spread: Math.max(1, Math.hypot(all[0].x - x, all[0].y - y)) };
  };
  view.addEventListener("pointerdown", (event) => {
    view.setPointerCapture(event.pointerId);
    if (!pointers.size) travelled = 0;
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  });
  view.addEventListener("pointermove", (event) => {
    const known = pointers.get(event.pointerId);
    if (!known) return;
    const before = middle();
    const dx = event.offsetX - known.x, dy = event.offsetY - known.y;
    travelled += Math.abs(dx) + Math.abs(dy);
    Object.assign(known, { x: event.offsetX, y: event.offsetY });
    if (pointers.size > 1) {
      const after = middle();
      app.camera.pan(after.x - before.x, after.y - before.y);
      app.camera.zoom(before.spread / after.spread);
      app.moveFollowing();
    } else if (event.shiftKey || event.buttons & 6) {
      app.camera.pan(dx, dy);
      app.moveFollowing();
    } else app.camera.turn(dx, dy);
    app.invalidate();
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    if (event.type === "pointerup" && travelled < 5 && event.button === 0) app.select(app.pick(event.offsetX, event.offsetY));
  };
  view.addEventListener("pointerup", release);
  view.addEventListener("pointercancel", release);
  view.addEventListener("contextmenu", (event) => event.preventDefault());
  view.addEventListener("dblclick", () => app.lookAtSelected());
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    const x = event.offsetX - view.clientWidth / 2, y = event.offsetY - view.clientHeight / 2;
    app.camera.zoom(Math.exp(clamp(event.deltaY * lines, -300, 300) * 0.0012), app.following ? 0 : x, app.following ? 0 : y);
    app.invalidate();
  }, { passive: false });
}
