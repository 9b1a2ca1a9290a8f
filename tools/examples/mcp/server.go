package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// greetArgs are the arguments of the tool.
type greetArgs struct {
	Name string `json:"name" jsonschema:"whom to greet"`
}

// serve is the server: one tool, until its standard input ends.
func serve(ctx context.Context) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "greets"}, greet)
	return server.Run(ctx, &mcp.StdioTransport{})
}

func greet(_ context.Context, _ *mcp.CallToolRequest, args greetArgs) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello, " + args.Name}}}, nil, nil
}
