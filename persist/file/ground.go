package file

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"containlease/persist/internal/disk"
)

// Cuts says what is known of power cuts on a file system.
type Cuts = disk.Cuts

// What is known of them.
const (
	CutsTried   = disk.CutsTried   // nothing acknowledged was lost in the power cuts that this project made on it
	CutsUntried = disk.CutsUntried // none was made
	CutsTakeAll = disk.CutsTakeAll // nothing on it survives one, and no process does
)

// Ground is what a home lies on.
type Ground struct {
	Filesystem string // the type of the mount, or why it is not known
	Known      bool   // locks and syncs are known to work: else Create wants AllowAnyFilesystem
	PowerCuts  Cuts
}

// GroundOf tells what dir lies on, or would lie on if it were made: what its nearest directory that exists does. It makes nothing.
// ErrUnsupported, or the system's error.
func GroundOf(dir string, opts ...Option) (Ground, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return Ground{}, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return Ground{}, fmt.Errorf("finding the state home %q: %w", dir, err)
	}
	g, err := groundAt(o.sys, path)
	if err != nil {
		return Ground{}, err
	}
	return Ground{Filesystem: g.Name, Known: g.Known, PowerCuts: g.Cuts}, nil
}

// linuxGrounds are the file systems of Linux on which locks and syncs are known to work, by the type of the mount. What statfs
// calls itself, the magic, has to agree: alone it is not believed, since 9p answers with that of its server.
var linuxGrounds = map[string]struct {
	magic uint32
	is    filesystem
}{
	"ext4":     {0xEF53, filesystem{Overwrites: true, Cuts: CutsTried}},
	"ext3":     {0xEF53, filesystem{Overwrites: true, Cuts: CutsUntried}},
	"ext2":     {0xEF53, filesystem{Overwrites: true, Cuts: CutsUntried}},
	"xfs":      {0x58465342, filesystem{Overwrites: true, Cuts: CutsTried}},
	"btrfs":    {0x9123683E, filesystem{Cuts: CutsTried}},
	"f2fs":     {0xF2F52010, filesystem{Overwrites: true, Cuts: CutsUntried}},
	"overlay":  {0x794C7630, filesystem{Overwrites: true, Cuts: CutsUntried}},
	"zfs":      {0x2FC12FC1, filesystem{Cuts: CutsUntried}},
	"bcachefs": {0xCA451A4E, filesystem{Cuts: CutsUntried}},
	"tmpfs":    {0x01021994, filesystem{Overwrites: true, Cuts: CutsTakeAll}},
	"rootfs":   {0x01021994, filesystem{Overwrites: true, Cuts: CutsTakeAll}},
}

// Grounds lists the file systems of Linux that a home takes without AllowAnyFilesystem, sorted by name.
func Grounds() []Ground {
	var all []Ground
	for _, name := range slices.Sorted(maps.Keys(linuxGrounds)) {
		all = append(all, Ground{Filesystem: name, Known: true, PowerCuts: linuxGrounds[name].is.Cuts})
	}
	return all
}
