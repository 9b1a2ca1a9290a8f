package main

import "strings"

// part is a piece of a file: text that is left alone, then the commands of a console block.
type part struct {
	prose    string
	commands []command
}

// command is one command with the output that the file shows.
type command struct {
	typed string // its lines as in the file, prompts included
	shown string // the lines after it, up to the next command or the end of the block
}

const (
	fence  = "```"
	prompt = "$ "
	more   = "> " // a command's second line and all after it
)

// parse cuts a file into parts. Nothing is lost: all prose, typed and shown, one after the other, are the file.
func parse(text string) []part {
	parts, inside := []part{{}}, false
	for line := range strings.Lines(text) {
		p := &parts[len(parts)-1]
		switch {
		case inside && strings.HasPrefix(line, fence):
			inside = false
			parts = append(parts, part{prose: line})
		case inside && strings.HasPrefix(line, prompt):
			p.commands = append(p.commands, command{typed: line})
		case !inside || len(p.commands) == 0:
			inside = inside || strings.TrimSpace(line) == fence+"console"
			p.prose += line
		default:
			p.commands[len(p.commands)-1].take(line)
		}
	}
	return parts
}

func (c *command) take(line string) {
	if c.shown == "" && strings.HasPrefix(line, more) {
		c.typed += line
	} else {
		c.shown += line
	}
}

// script is the command as a shell wants it.
func (c command) script() string {
	var b strings.Builder
	for line := range strings.Lines(c.typed) {
		b.WriteString(line[len(prompt):])
	}
	return b.String()
}
