package lease_test

import (
	"testing"

	"containlease/lease"

	"github.com/stretchr/testify/require"
)

func TestMarked(t *testing.T) {
	for name, tt := range map[string]struct{ env, want []string }{
		"none":          {nil, []string{lease.Mark + "=new"}},
		"beside others": {[]string{"A=1", "B=2"}, []string{lease.Mark + "=new", "A=1", "B=2"}},
		"under another": {[]string{"A=1", lease.Mark + "=old"}, []string{lease.Mark + "=old:new", "A=1"}},
		"there twice":   {[]string{lease.Mark + "=first", "A=1", lease.Mark + "=second"}, []string{lease.Mark + "=first:new", "A=1"}},
		"a longer name": {[]string{lease.Mark + "X=1"}, []string{lease.Mark + "=new", lease.Mark + "X=1"}},
		"a name only":   {[]string{lease.Mark}, []string{lease.Mark + "=new", lease.Mark}},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]string(nil), tt.env...)
			require.Equal(t, tt.want, lease.Marked(tt.env, "new"))
			require.Equal(t, before, tt.env, "the caller's list stays as it is")
		})
	}
}
