"""A program that takes every message for what it expects next, and looks at the text itself.

strict.py HOST PORT ORIGIN: prints a line of JSON for each event of the first board, until it is told to stop. It
speaks WebSocket itself and needs nothing but Python.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys


class Socket:
    def __init__(self, host, port, origin):
        self.stream = socket.create_connection((host, port), timeout=60)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET /api/v1.0 HTTP/1.1",
            f"Host: {host}:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        ]
        if origin:
            lines.append(f"Origin: {origin}")
        self.stream.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        if b" 101 " not in head.split(b"\r\n")[0] or expected not in head:
            raise SystemExit(f"no WebSocket: {head.decode()}")
        if b"sec-websocket-protocol" in head.lower():
            raise SystemExit("a protocol that nobody asked for")

    def fill(self):
        data = self.stream.recv(65536)
        if not data:
            raise SystemExit(0)
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def frame(self, code, payload):
        mask = os.urandom(4)
        length = len(payload)
        head = struct.pack("!BB", 0x80 | code, 0x80 | length) if length < 126 else struct.pack("!BBH", 0x80 | code, 0xFE, length)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self.stream.sendall(head + mask + masked)

    def send(self, message):
        self.frame(1, json.dumps(message).encode())

    def receive(self):
        while True:
            first, second = self.take(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.take(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.take(8))
            payload = self.take(length)
            if first & 0x0F == 8:
                raise SystemExit(0)
            if first & 0x0F == 9:
                self.frame(10, payload)
                continue
            if first != 0x81 or second & 0x80:
                raise SystemExit(f"no whole text frame: {first:#x}")
            return payload.decode()


def say(line):
    print(json.dumps(line), flush=True)


def expect(condition, text):
    if not condition:
        raise SystemExit(f"not expected: {text}")


def main():
    host, port, origin = sys.argv[1:4]
    line = Socket(host, int(port), origin)

    # What comes next is the answer, and its text begins so.
    line.send({"call": "eboards", "id": 36, "param": None})
    text = line.receive()
    expect(text.startswith('{"response":"call","id":36,"param":[{"serialnr":"'), text)
    boards = json.loads(text)["param"]
    board = next((board for board in boards if board["state"] == "ACTIVE"), boards[0])
    expect(list(board) == ["serialnr", "source", "state", "battery", "comment", "board", "flipped", "clock"], text)
    say({"boards": boards})

    line.send({"call": "sources", "id": 37, "param": None})
    text = line.receive()
    expect(text.startswith('{"response":"call","id":37,"param":[{"type":"'), text)

    # The same number for the call and for its feed.
    serial = board["serialnr"]
    line.send({"call": "subscribe", "id": 42, "param": {"feed": "eboardevent", "id": 42, "param": {"serialnr": serial}}})
    text = line.receive()
    expect(text.startswith('{"response":"call","id":42,"param":null,"time":'), text)
    text = line.receive()
    expect(text.startswith(f'{{"response":"feed","id":42,"param":{{"serialnr":"{serial}","flipped":false,"board":"'), text)
    say({"first": json.loads(text)["param"]})

    while True:
        text = line.receive()
        message = json.loads(text)
        expect(list(message) == ["response", "id", "param", "time"], text)
        expect(message["response"] == "feed" and message["id"] == 42, text)
        order = ["serialnr", "flipped", "board", "clock", "start", "san", "match"]
        keys = list(message["param"])
        expect(keys == [key for key in order if key in keys] and keys[0] == "serialnr", text)
        say({"event": message["param"], "time": message["time"]})


main()
