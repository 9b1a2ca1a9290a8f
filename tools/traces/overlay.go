package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed recorder.go.txt
var recorder string

// lay writes an overlay for package fsm into dir and returns the path of its description. Everybody may leave records in dir:
// some tests are other users.
func lay(dir string) (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "containlease/fsm").Output()
	if err != nil {
		return "", fmt.Errorf("where is package fsm? %w", err)
	}
	fsm := strings.TrimSpace(string(out))
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	machine, err := os.ReadFile(filepath.Join(fsm, "machine.go"))
	if err != nil {
		return "", err
	}
	renamed, err := rename(string(machine))
	if err != nil {
		return "", err
	}
	description, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(fsm, "machine.go"):  filepath.Join(dir, "machine.go"),
		filepath.Join(fsm, "recorder.go"): filepath.Join(dir, "recorder.go"),
	}})
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"machine.go": renamed, "recorder.go": recorder, "overlay.json": string(description)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "overlay.json"), os.Chmod(dir, 0o777|os.ModeSticky)
}

// rename makes way for the recorder's Fire and Resume.
func rename(machine string) (string, error) {
	for from, to := range map[string]string{"Fire(": "fire(", "Resume(": "resume("} {
		const receiver = "func (m *Machine[H]) "
		if strings.Count(machine, receiver+from) != 1 {
			return "", fmt.Errorf("fsm/machine.go has not one method %q any more: the overlay must follow it", from)
		}
		machine = strings.Replace(machine, receiver+from, receiver+to, 1)
	}
	return machine, nil
}
