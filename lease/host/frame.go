package host

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"syscall"

	"containlease/gen/leasefile"
)

// kind is the first byte of a frame on the control socket. An open is that byte alone: one byte opens the gate.
type kind byte

// From owner to gate.
const (
	kindSpec      kind = 'p'
	kindChallenge kind = 'c'
	kindName      kind = 'n'
	kindOpen      kind = 'o'
	kindSignal    kind = 's'
	kindStop      kind = 'x'
)

// From front to owner, on the gate's socket before there is a gate.
const kindFront kind = 'F'

// From gate to owner, and some of it to the front.
const (
	kindHello   kind = 'h'
	kindAnswer  kind = 'a'
	kindStarted kind = 'r'
	kindFailed  kind = 'f'
	kindStopped kind = 't'
	kindStatus  kind = 'e'
	kindEmpty   kind = '0'
	kindAsked   kind = 'k' // the front is gone: the plugin is asked to end
	kindTrouble kind = 'u' // what stands in the way of the proof: without an empty after it there is none
)

// maxFrame bounds a frame's body: the largest holds a plugin's arguments and environment, a third more than
// the 6 MiB that Linux allows at most.
const maxFrame = 16 << 20

// spec is what the gate has to know of the plugin, and of the lease for its note. What the system takes for bytes is bytes here:
// JSON would change text that is no UTF-8. A gate behind a front has Path, Args and Env from the front, as somebody else made them
// in the end, and is in the plugin's directory already.
type spec struct {
	LeaseID, Token  string
	Home, Path, Dir []byte
	Args, Env       [][]byte
	Extra           int   // extra files, from descriptor 3 on
	GraceNanos      int64 // from being asked to being killed
	Boundary        leasefile.Boundary
}

// bytesOf and stringsOf carry a list over the socket and back.
func bytesOf(list []string) [][]byte {
	all := make([][]byte, len(list))
	for i, s := range list {
		all[i] = []byte(s)
	}
	return all
}

func stringsOf(list [][]byte) []string {
	all := make([]string, len(list))
	for i, b := range list {
		all[i] = string(b)
	}
	return all
}

// word is the body of every other frame.
type word struct {
	Nonce  string
	Number int    // a signal, a raw wait status, an errno
	Text   string // why the gate cannot serve, or cannot prove the end
}

// frame is a message as received.
type frame struct {
	kind kind
	body []byte
}

// send writes one frame; a nil body is none at all.
func send(w io.Writer, k kind, body any) error {
	b := []byte{byte(k)}
	if body != nil {
		j, err := json.Marshal(body)
		if err != nil {
			return err
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(j)))
		b = append(b, j...)
	}
	_, err := w.Write(b)
	return err
}

// receive reads one frame. io.EOF between frames is the end of the other side.
func receive(r *bufio.Reader) (frame, error) {
	k, err := r.ReadByte()
	if err != nil {
		return frame{}, err
	}
	f := frame{kind: kind(k)}
	if f.kind == kindOpen {
		return f, nil
	}
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return frame{}, halfFrame(err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxFrame {
		return frame{}, fmt.Errorf("a frame of %d bytes: %w", n, syscall.EMSGSIZE)
	}
	f.body = make([]byte, n)
	if _, err := io.ReadFull(r, f.body); err != nil {
		return frame{}, halfFrame(err)
	}
	return f, nil
}

// halfFrame is no end of the other side, as io.EOF would be.
func halfFrame(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("half a frame: %w", err)
}

// expect reads one frame of kind k into body.
func expect(r *bufio.Reader, k kind, body any) error {
	f, err := receive(r)
	if err != nil {
		return err
	}
	if f.kind != k {
		return fmt.Errorf("a frame %q where %q was expected", f.kind, k)
	}
	return f.read(body)
}

func (f frame) read(body any) error {
	if body == nil {
		return nil
	}
	return json.Unmarshal(f.body, body)
}
