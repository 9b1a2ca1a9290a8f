package main

import (
	"net/rpc"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// handshake keeps people from starting the plugin by hand; it is no security.
var handshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "GREETER", MagicCookieValue: "hello"}

var plugins = plugin.PluginSet{"greeter": &greeterPlugin{}}

// greeter is what the plugin can do.
type greeter interface {
	Greet(name string, greeting *string) error
}

// greeterPlugin joins both sides, as net/rpc has it.
type greeterPlugin struct{ impl greeter }

func (p *greeterPlugin) Server(*plugin.MuxBroker) (any, error) { return p.impl, nil }

func (*greeterPlugin) Client(_ *plugin.MuxBroker, c *rpc.Client) (any, error) { return &caller{c}, nil }

// caller is the host's side.
type caller struct{ client *rpc.Client }

func (c *caller) greet(name string) (greeting string, err error) {
	err = c.client.Call("Plugin.Greet", name, &greeting)
	return greeting, err
}

// polite is the plugin's side.
type polite struct{}

// Greet greets.
func (polite) Greet(name string, greeting *string) error {
	*greeting = "hello, " + name
	return nil
}

func serve(g greeter) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake, Plugins: plugin.PluginSet{"greeter": &greeterPlugin{g}}, Logger: hclog.NewNullLogger(),
	})
}
