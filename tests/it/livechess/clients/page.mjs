// A web page that plays with one board, as such pages do: it takes the first board of the list, compares ids
// strictly, trusts each list of moves to be longer than the last one, and comes back when the line breaks.
//
// node page.mjs URL WAIT_MS [FEN]: a line of JSON for each move, and for what is odd. The WebSocket is that of the
// module ADOUBE_WS, or Node's own (--experimental-websocket).

const { WebSocket } = process.env.ADOUBE_WS ? await import(process.env.ADOUBE_WS) : globalThis;
const [url, wait, fen] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let serial = null;
let known = null;
let attempts = 0;

function connect() {
  const socket = new WebSocket(url);
  let isSetUp = fen === undefined;

  socket.onopen = () => {
    say({ open: true });
    socket.send('{"id":1,"call":"eboards"}');
  };
  // Node's own WebSocket says an error and no end where the other side is killed.
  let isGone = false;
  socket.onerror = socket.onclose = () => {
    if (isGone) {
      return;
    }
    isGone = true;
    serial = null;
    attempts += 1;
    // A minute and more: a machine that is busy starts a daemon slowly.
    if (attempts <= 500) {
      setTimeout(connect, Number(wait));
    }
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.response === "call" && message.id === 1) {
      const [board] = message.param;
      if (board === undefined) {
        setTimeout(() => socket.send('{"id":1,"call":"eboards"}'), Number(wait));
        return;
      }
      serial = board.serialnr;
      say({ board: serial, state: board.state });
      socket.send(JSON.stringify({ id: 2, call: "subscribe", param: { feed: "eboardevent", id: 1, param: { serialnr: serial } } }));
      if (!isSetUp) {
        socket.send(JSON.stringify({ id: 3, call: "call", param: { id: 1, method: "setup", param: { fen } } }));
      }
    } else if (message.response === "call" && message.id === 3) {
      isSetUp = true;
      known = [];
      say({ setup: message.param });
    } else if (message.response === "feed" && message.id === 1) {
      if (message.param.serialnr !== serial) {
        say({ odd: "another board's news", message });
      }
      if (message.param.san && !isSetUp) {
        say({ odd: "moves before the set-up", message });
      } else if (message.param.san) {
        moves(message.param.san);
      }
    } else if (message.response !== "call") {
      say({ odd: "unexpected", message });
    }
  };
}

// What came new; a list that is said again and two plies at once make such a page doubt.
function moves(san) {
  if (known !== null && JSON.stringify(known) === JSON.stringify(san)) {
    if (san.length > 0) {
      say({ odd: "repeated", san });
    }
    return;
  }
  const count = known === null ? Math.min(san.length, 1) : san.length - known.length;
  if (count > 1) {
    say({ odd: "several plies", san });
  }
  known = san;
  for (const move of count > 0 ? san.slice(-count) : []) {
    say({ move, ply: san.length });
  }
}

connect();
