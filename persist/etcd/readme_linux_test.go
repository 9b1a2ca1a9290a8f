package etcd

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

var update = flag.Bool("update", false, "rewrite the README's outputs")

// TestREADME types the console commands of the README, with a server of this test in place of the one that it names.
func TestREADME(t *testing.T) {
	endpoint := server(t, func(*embed.Config) {})
	args := []string{"run", "./readme", "-as", "http://127.0.0.1:2379=" + endpoint, "../persist/etcd/README.md"}
	if *update {
		args = append(args[:2], append([]string{"-write"}, args[2:]...)...)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = "../../tools"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
