// Frames of a running simulation, over a web socket of the server that served the page.

const LIVE_BUDGET = 512 * 2 ** 20; // bytes of frames kept for scrubbing

function connectLive(run, { onFrame, onEnd }) {
  const socket = new WebSocket(`ws://${location.host}/frames`);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", (event) => {
    try {
      run.push(event.data, 0);
    } catch (error) {
      onEnd(`A frame could not be read: ${error.message}.`);
      socket.close();
      return;
    }
    run.forgetOldest(LIVE_BUDGET);
    onFrame();
  });
  socket.addEventListener("close", () => onEnd(run.frames.length ? "" : "The simulation ended before its first frame."));
}
