package house

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modules are where documentation is held to the rules, from the root.
var modules = []string{".", "persist/etcd", "tools"}

// pack is a package as its documentation sees it.
type pack struct {
	path  string
	files []*ast.File
	names map[string]bool // what is declared: Name, Type.Method, Type.Field
}

// packs parses every package of all modules, as on Linux.
func packs(t *testing.T) (*token.FileSet, map[string]*pack) {
	t.Helper()
	fset, all := token.NewFileSet(), map[string]*pack{}
	for _, module := range modules {
		for _, line := range listIn(t, module, "linux", `{{.ImportPath}}|{{.Dir}}|{{join .GoFiles ","}}`, "./...") {
			parts := strings.Split(line, "|")
			if len(parts) == 3 && parts[2] != "" {
				p := &pack{path: parts[0], names: map[string]bool{}}
				for name := range strings.SplitSeq(parts[2], ",") {
					p.add(t, fset, filepath.Join(parts[1], name))
				}
				all[p.path] = p
			}
		}
	}
	return fset, all
}

func (p *pack) add(t *testing.T, fset *token.FileSet, path string) {
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	p.files = append(p.files, f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				p.declare(s)
			}
		}
	}
}

// declare notes what one declaration introduces.
func (p *pack) declare(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			p.names[n.Name] = true
		}
	case *ast.TypeSpec:
		p.names[s.Name.Name] = true
		var members *ast.FieldList
		switch of := s.Type.(type) {
		case *ast.StructType:
			members = of.Fields
		case *ast.InterfaceType:
			members = of.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, n := range m.Names {
				p.names[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// receiver is "Type." of a method, "" of a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch at := of.(type) {
		case *ast.StarExpr:
			of = at.X
		case *ast.IndexExpr:
			of = at.X
		case *ast.Ident:
			return at.Name + "."
		default:
			return ""
		}
	}
}

// TestDocLinks: what a comment puts in brackets like a name is one. pkg.go.dev shows what it cannot find as plain text, without a word.
func TestDocLinks(t *testing.T) {
	fset, all := packs(t)
	followed := 0
	for _, p := range all {
		docs, err := doc.NewFromFiles(fset, p.files, p.path, doc.AllDecls|doc.PreserveAST)
		require.NoError(t, err)
		reader := docs.Parser()
		imported := reader.LookupPackage
		reader.LookupSym = func(string, string) bool { return true }
		reader.LookupPackage = func(name string) (string, bool) {
			if path, ok := imported(name); ok {
				return path, true
			}
			return "nowhere: " + name, token.IsIdentifier(name)
		}
		for _, f := range p.files {
			for _, group := range f.Comments {
				for _, link := range links(reader.Parse(group.Text())) {
					followed++
					require.True(t, leads(all, p, link), "%s: [%s] leads nowhere", fset.Position(group.Pos()), strings.Trim(link.ImportPath+"."+link.Recv+"."+link.Name, "."))
				}
			}
		}
	}
	require.Greater(t, followed, 20)
}

// leads: to a name of ours, or into another module or the standard library, which are taken to exist if they are imported.
func leads(all map[string]*pack, from *pack, link *comment.DocLink) bool {
	if strings.HasPrefix(link.ImportPath, "nowhere: ") {
		return link.Name == "" // a word in brackets
	}
	to := from
	if link.ImportPath != "" {
		if to = all[link.ImportPath]; to == nil {
			return true
		}
	}
	name := link.Name
	if link.Recv != "" {
		name = link.Recv + "." + name
	}
	return name == "" || to.names[name]
}

// links are the links in a comment, in paragraphs, headings and lists.
func links(d *comment.Doc) (out []*comment.DocLink) {
	var inBlocks func(blocks []comment.Block)
	inText := func(text []comment.Text) {
		for _, x := range text {
			if l, ok := x.(*comment.DocLink); ok {
				out = append(out, l)
			}
		}
	}
	inBlocks = func(blocks []comment.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *comment.Paragraph:
				inText(b.Text)
			case *comment.Heading:
				inText(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					inBlocks(item.Content)
				}
			}
		}
	}
	inBlocks(d.Content)
	return out
}
