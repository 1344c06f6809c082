"""`exec` of the tests' API server: a WebSocket as the `channel.k8s.io` protocols have it, and the command really runs, on
this computer, among the processes of its pod alone. Of the protocols that are offered it takes the one it is told to, or none.
"""
import base64
import hashlib
import json
import struct
import subprocess
import threading

kInput, kOutput, kErrors, kStatus, kResize, kClose = 0, 1, 2, 3, 4, 255


class Channel:
    """One side of a WebSocket, without extensions."""

    def __init__(self, incoming, outgoing):
        self.incoming, self.outgoing, self.sending = incoming, outgoing, threading.Lock()

    def send(self, text, kind=2):
        size = len(text)
        head = bytes([128 | kind]) + (bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536
                                      else b"\x7f" + struct.pack(">Q", size))
        try:
            with self.sending:
                self.outgoing.write(head + text)
                self.outgoing.flush()
        except (OSError, ValueError):
            pass  # the other side is gone; what runs goes on

    def exactly(self, size):
        text = self.incoming.read(size)
        if len(text) < size:
            raise EOFError
        return text

    def frame(self):
        first, second = self.exactly(2)
        size = second & 127
        if size > 125:
            size = struct.unpack(">H" if size == 126 else ">Q", self.exactly(2 if size == 126 else 8))[0]
        if not second & 128:
            raise EOFError  # a client's frames are masked, or it is none
        mask = self.exactly(4)
        return first >> 7, first & 15, bytes(b ^ mask[i % 4] for i, b in enumerate(self.exactly(size)))

    def messages(self):
        """Until the other side closes, or is gone."""
        whole = b""
        try:
            while True:
                last, kind, text = self.frame()
                if kind == 8:
                    return
                if kind > 8:
                    continue
                whole += text
                if last:
                    yield whole
                    whole = b""
        except (EOFError, OSError):
            return


def shake_hands(handler, wanted):
    """Answers the upgrade; the protocol taken: `wanted`, of those offered, or the first offered."""
    offered = [one.strip() for one in handler.headers.get("Sec-WebSocket-Protocol", "").split(",")]
    taken = offered[0] if wanted is None else wanted
    key = handler.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    handler.send_response(101)
    handler.send_header("Upgrade", "websocket")
    handler.send_header("Connection", "Upgrade")
    handler.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
    if taken:
        handler.send_header("Sec-WebSocket-Protocol", taken)
    handler.end_headers()
    handler.close_connection = True
    return taken


def status_of(code):
    if code == 0:
        return {"status": "Success"}
    causes = [{"reason": "ExitCode", "message": str(code if code > 0 else 128 - code)}]
    return {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": causes},
            "message": f"command terminated with non-zero exit code {code}"}


class Pod:
    """A process namespace of its own, for whoever ends processes there by looking at all of them. Gone with the server."""

    def __init__(self):
        self.outer = subprocess.Popen(["unshare", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "sh", "-c", "echo up; cat; exit 0"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.outer.stdout.readline()
        with open(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children") as file:
            self.inner = file.read().split()[0]

    def start(self, argv):
        # A session of its own, and a parent that does not stop with it, as a container's process has them.
        enter = ["nsenter", "--target", self.inner, "--pid", "--mount", "--wd=/", "--", "setsid", "--fork", "--wait"]
        pipe = subprocess.PIPE
        return subprocess.Popen(enter + argv, stdin=pipe, stdout=pipe, stderr=pipe)

    def end(self):
        self.outer.stdin.close()
        self.outer.wait()


def pump(channel, pipe, number):
    while text := pipe.read1(65536):
        channel.send(bytes([number]) + text)


def tell_end(channel, process, pumps):
    for one in pumps:
        one.join()
    channel.send(bytes([kStatus]) + json.dumps(status_of(process.wait())).encode())
    channel.send(struct.pack(">H", 1000), 8)


def serve(handler, pod, argv, wanted, seen):
    """`seen` gets a word for each message that is no input: {"channel", "text"}."""
    protocol = shake_hands(handler, wanted)
    channel = Channel(handler.rfile, handler.wfile)
    process = pod.start(argv)
    pumps = [threading.Thread(target=pump, args=(channel, pipe, number), daemon=True)
             for pipe, number in ((process.stdout, kOutput), (process.stderr, kErrors))]
    for one in pumps:
        one.start()
    threading.Thread(target=tell_end, args=(channel, process, pumps), daemon=True).start()
    for message in channel.messages():
        number = message[0] if message else kClose
        if number != kInput:
            seen.append({"channel": number, "text": message[1:].decode("latin-1")})
        elif not process.stdin.closed:
            try:
                process.stdin.write(message[1:])
                process.stdin.flush()
            except OSError:
                pass  # it reads no more
        # Before v5 there is no such message, and a server of then takes no notice.
        if number == kClose and message[1:] == bytes([kInput]) and protocol == "v5.channel.k8s.io":
            process.stdin.close()
