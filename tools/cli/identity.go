package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"containlease/gen/leasefile"
	"containlease/lease"
)

// subject is what run is about: a command and the identity that it runs under.
type subject struct {
	path     string   // the executable, absolute
	args     []string // with the name it was called by
	identity leasefile.OperationIdentity
}

// resolve finds the command in PATH. A command that is not there is a mistake on the command line.
func resolve(argv []string) (subject, error) {
	path, err := exec.LookPath(argv[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return subject{}, fmt.Errorf("cannot run %q: %w", argv[0], err)
	case err != nil:
		return subject{}, usagef("cannot find the command %q: %w", argv[0], err)
	}
	return subject{path: path, args: argv}, nil
}

// identityFile reads the document of --identity.
func (a *app) identityFile(path string) (leasefile.OperationIdentity, error) {
	b, err := a.readCarefully(path)
	if err != nil {
		return leasefile.OperationIdentity{}, err
	}
	id, err := leasefile.DecodeIdentityV1(b)
	if err != nil {
		return leasefile.OperationIdentity{}, fmt.Errorf("%w: %s is no identity: %w", lease.ErrInvalid, path, err)
	}
	return *id, nil
}

// enabled takes identity and, where argv is empty, command from the plugin's record. A command that is given has to be the
// program on record: otherwise the lease would name one plugin and run another.
func enabled(reg *lease.Registry, id string, argv []string) (subject, error) {
	p, err := reg.Plugin(id)
	if err != nil {
		return subject{}, err
	}
	if len(argv) == 0 {
		argv = []string{p.Executable}
	}
	s, err := resolve(argv)
	if err != nil {
		return subject{}, err
	}
	sum, err := digestOf(s.path)
	if err != nil {
		return subject{}, err
	}
	if s.identity = p.Identity; sum != s.identity.BundleSHA256 {
		return subject{}, fmt.Errorf("%w: %s has sha256 %s, and plugin %s is enabled with bundleSha256 %s",
			lease.ErrNotActive, s.path, sum, id, s.identity.BundleSHA256)
	}
	return s, nil
}

// madeIdentity is the identity of a command that brings none.
func madeIdentity(s subject) (leasefile.OperationIdentity, error) {
	bundle, err := digestOf(s.path)
	if err != nil {
		return leasefile.OperationIdentity{}, err
	}
	id, record := pluginID(s.path), commandRecord(s)
	return leasefile.OperationIdentity{
		AdapterID: id[:min(len(id), 48)], BundleSHA256: bundle, ContractVersion: 1,
		DescriptorSHA256: record, ManifestSHA256: record, Operation: "command.run",
		PluginID: id, PluginVersion: "0.0.0", SurfaceID: id, Transport: leasefile.TransportProviderAPI,
	}, nil
}

// pluginID makes a plugin's id of the executable's base name: lower case, every run of other characters one hyphen, "cmd-"
// before what would not begin with a letter, at most 128 characters.
func pluginID(path string) string {
	words := strings.FieldsFunc(strings.ToLower(filepath.Base(path)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	id := strings.Join(words, "-")
	if id == "" || id[0] <= '9' {
		id = strings.TrimRight("cmd-"+id, "-")
	}
	return strings.TrimRight(id[:min(len(id), 128)], "-")
}

// commandRecord is the sha256 of the canonical command record: the line "containlease/command-v1", the executable's absolute
// path, and each argument from argv[0] on, every one of them ended by a NUL byte, which none of them can hold. It stands for
// the manifest and the descriptor of a command that has neither.
func commandRecord(s subject) string {
	h := sha256.New()
	for _, part := range append([]string{"containlease/command-v1", s.path}, s.args...) {
		_, _ = io.WriteString(h, part+"\x00") // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestOf is the sha256 of a regular file of any size.
func digestOf(path string) (string, error) {
	f, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", unreadable(path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
