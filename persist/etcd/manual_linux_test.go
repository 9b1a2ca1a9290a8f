package etcd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// TestManual types what README.md shows, in its order, into a shell: only the servers' names and CMD are others. The server
// is secured as the manual wants it. TestREADME plays the one "to try it".
func TestManual(t *testing.T) {
	etcdctl := installed(t, "etcdctl", "etcd-client")
	binary, err := built()
	require.NoError(t, err)
	desk := t.TempDir()
	secured := securedServer(t, desk)
	for _, who := range []string{"machine", "fleet", "root", "operator"} {
		require.NoError(t, os.WriteFile(filepath.Join(desk, who+".secret"), []byte("secret-of-"+who+"\n"), 0o600))
	}
	typed := strings.NewReplacer("https://one:2379,https://two:2379,https://three:2379", secured, "CMD", "true",
		"\n", "\n[ $? = 0 ]\n") // -e does not stop at the first half of a && b

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eux", "-o", "pipefail", "-c", typed.Replace(manual(t)))
	cmd.Dir = desk
	cmd.Env = []string{"HOME=" + desk, "PATH=" + filepath.Dir(binary) + ":" + filepath.Dir(etcdctl) + ":" + os.Getenv("PATH"), "ETCDCTL_API=3"}
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, &told)

	parts := strings.Split(string(out), "THEN")
	require.Len(t, parts, 3)
	id := strings.TrimSpace(parts[2])
	require.Regexp(t, uuid4, id)
	require.Contains(t, parts[0], id, "the fleet lists the machine")
	require.NotContains(t, parts[1][strings.LastIndex(parts[1], "DIGEST"):], id, "retired")
	require.Contains(t, parts[1], "compacted revision")
	require.Contains(t, parts[1]+told.String(), "Finished defragmenting")
	audit, err := os.ReadFile(filepath.Join(desk, ".local/state/containlease/audit.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(audit), "its disk is shredded")
}

// manual is the shell blocks of the manual, in order, with marks between their outputs.
func manual(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		blocks = append(blocks, string(m[1]))
	}
	require.Len(t, blocks, 4, "set-up, use, retirement, space")
	setUp, use, retire, space := blocks[0], blocks[1], blocks[2], blocks[3]
	require.Equal(t, 5, strings.Count(setUp, "\n"), "five commands")
	return strings.Join([]string{setUp, use, "echo THEN", "! etcdctl get x # nobody may without a name", retire, space,
		"containlease --store etcd:$ETCDCTL_ENDPOINTS list --fleet", "echo THEN $id"}, "\n")
}

// securedServer speaks TLS; who wants to talk to it finds ca.pem on the desk.
func securedServer(t *testing.T, desk string) (endpoint string) {
	t.Helper()
	info, err := transport.SelfCert(zap.NewNop(), t.TempDir(), []string{"127.0.0.1:0"}, 1)
	require.NoError(t, err)
	cert, err := os.ReadFile(info.CertFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(desk, "ca.pem"), cert, 0o600))
	return server(t, func(cfg *embed.Config) {
		secure(cfg)
		cfg.ClientTLSInfo = info
		cfg.AutoCompactionMode, cfg.AutoCompactionRetention = "periodic", "1h"
	})
}
