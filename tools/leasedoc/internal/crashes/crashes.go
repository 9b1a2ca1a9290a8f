// Package crashes reads what lease/host measured of crashes: one kill at one moment of a run a line. The test there writes the
// file, and fails when what it finds is no longer what the file says.
package crashes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Nobody is the Alive of a cell in which no process is left.
const Nobody = "nobody"

// Doctor is the Clears of a cell that the doctor clears as it stands.
const Doctor = "doctor --apply"

// Place names a cell.
type Place struct {
	Story    string `json:"story"`
	Boundary string `json:"boundary"`
	Moment   string `json:"moment"`
	Killed   string `json:"killed"`
}

// Found is what is left when everybody who lives has done what they can, and what acquire, list, show and doctor say of it.
type Found struct {
	Disk    string `json:"disk"`
	Alive   string `json:"alive"`
	Acquire string `json:"acquire"`
	Outcome string `json:"outcome"`
	Rule    string `json:"rule"`
	Clears  string `json:"clears"`
}

// Cell is one of the matrix.
type Cell struct {
	Place
	Found
}

// Unseen reports whether the doctor clears the lease while a process of the plugin lives.
func (f Found) Unseen() bool { return f.Alive != Nobody && f.Clears == Doctor }

// Read returns the cells in the order of their moments; none where there is no file, which the documents then say.
func Read(path string) ([]Cell, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for line := range bytes.Lines(text) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var c Cell
		if err := d.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(cells)+1, err)
		}
		cells = append(cells, c)
	}
	return cells, nil
}
