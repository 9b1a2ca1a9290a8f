package process

import (
	"regexp"
	"strings"
)

const bootFile = "sys/kernel/random/boot_id"

var bootText = regexp.MustCompile(`^(?i:[a-f0-9-]{36})$`)

// boot returns the boot id. Containers and tests like to mount a file of their
// own over it, and a forged boot id turns the living into "of another boot":
// read lets none pass. Every error is ErrNoIdentity.
func (p *procfs) boot() (string, error) {
	content, err := p.read(bootFile)
	if err != nil {
		return "", noIdentity("boot id: %w", err)
	}
	text := strings.TrimSpace(string(content))
	if !bootText.MatchString(text) {
		return "", noIdentity("boot id: %s holds %q, which is none", bootFile, text)
	}
	return Digest(kindBoot, text), nil
}
