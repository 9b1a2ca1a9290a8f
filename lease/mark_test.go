package lease_test

import (
	"testing"

	"containlease/lease"

	"github.com/stretchr/testify/require"
)

func TestMarked(t *testing.T) {
	for name, tt := range map[string]struct{ env, want []string }{
		"none":          {nil, []string{lease.Mark + "=new"}},
		"beside others": {[]string{"A=1", "B=2"}, []string{"A=1", "B=2", lease.Mark + "=new"}},
		"under another": {[]string{"A=1", lease.Mark + "=old"}, []string{"A=1", lease.Mark + "=old:new"}},
		"there twice":   {[]string{lease.Mark + "=first", "A=1", lease.Mark + "=second"}, []string{"A=1", lease.Mark + "=first:new"}},
		"a longer name": {[]string{lease.Mark + "X=1"}, []string{lease.Mark + "X=1", lease.Mark + "=new"}},
		"a name only":   {[]string{lease.Mark}, []string{lease.Mark, lease.Mark + "=new"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]string(nil), tt.env...)
			require.Equal(t, tt.want, lease.Marked(tt.env, "new"))
			require.Equal(t, before, tt.env, "the caller's list stays as it is")
		})
	}
}
