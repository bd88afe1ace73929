// An agent of the Go SDK before the gateway, in the revision that REVISION names.
// Prints one line of JSON a check.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	big         = 1536 * 1024
	unknownTool = -32602
	stateless   = "2026-07-28"
	patience    = 20 * time.Second
)

type agent struct {
	session *mcp.ClientSession
	mu      sync.Mutex
	// Progress by token.
	heard map[any][]float64
	logs  []string
}

type check struct {
	name string
	// Bridge apps have none.
	ofServers bool
	run       func(ctx context.Context, a *agent, app string) error
}

var checks = []check{
	{"lists tools", false, listsTools},
	{"calls a tool", false, callsATool},
	{"gets a tool's error", false, getsAnError},
	{"cancels a call, whose work stops", false, cancels},
	{"hears progress", false, hearsProgress},
	{"takes an answer of 1.5 MiB", false, takesABigAnswer},
	{"hears log messages", false, hearsLogs},
	{"answers a question", true, answersAQuestion},
	{"reads resources", true, readsResources},
	{"gets a prompt", true, getsPrompts},
}

func main() {
	a := &agent{heard: map[any][]float64{}}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, told *mcp.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.heard[told.Params.ProgressToken] = append(a.heard[told.Params.ProgressToken], told.Params.Progress)
		},
		LoggingMessageHandler: func(_ context.Context, told *mcp.LoggingMessageRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.logs = append(a.logs, fmt.Sprint(told.Params.Data))
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"value": "Ada"}}, nil
		},
	})
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:   "go-agent",
				RedirectURIs: []string{os.Getenv("CALLBACK")},
			},
		},
		AuthorizationCodeFetcher: visit,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	transport := &mcp.StreamableClientTransport{Endpoint: os.Getenv("URL"), OAuthHandler: handler}
	revision := os.Getenv("REVISION")
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	a.session = session
	report("speaks "+revision, func(context.Context) error {
		spoken := session.InitializeResult().ProtocolVersion
		return expect(spoken == revision, spoken)
	})
	for _, app := range strings.Split(os.Getenv("APPS"), ",") {
		for _, each := range checks {
			if app == "bridge" && each.ofServers {
				continue
			}
			report(app+": "+each.name, func(ctx context.Context) error { return each.run(ctx, a, app) })
		}
	}
	report("an unknown tool is an error with its code", a.unknownTool)
	if err := session.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Whoever started this program visits the page and says where that led.
func visit(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	text, err := json.Marshal(map[string]string{"visit": args.URL})
	if err != nil {
		return nil, err
	}
	fmt.Println(string(text))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return nil, err
	}
	came, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	said := came.Query()
	return &auth.AuthorizationResult{Code: said.Get("code"), State: said.Get("state"), Iss: said.Get("iss")}, nil
}

func report(name string, run func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	line := map[string]any{"name": name, "error": nil}
	if err := run(ctx); err != nil {
		line["error"] = err.Error()
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func expect(condition bool, what any) error {
	if condition {
		return nil
	}
	return errors.New(cut(fmt.Sprintf("not as expected: %v", what)))
}

func cut(text string) string {
	if len(text) > 500 {
		return text[:500]
	}
	return text
}

func (a *agent) call(ctx context.Context, name string, arguments map[string]any) (string, bool, error) {
	if arguments == nil {
		// Otherwise it sends null, which is no object.
		arguments = map[string]any{}
	}
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", false, err
	}
	return textOf(result.Content), result.IsError, nil
}

func textOf(content []mcp.Content) string {
	var all strings.Builder
	for _, block := range content {
		if text, is := block.(*mcp.TextContent); is {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}

func listsTools(ctx context.Context, a *agent, app string) error {
	result, err := a.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	for _, name := range []string{"greet", "fail", "slow", "stopped", "count", "big"} {
		if !slices.Contains(names, app+"_"+name) {
			return expect(false, names)
		}
	}
	return nil
}

func callsATool(ctx context.Context, a *agent, app string) error {
	text, isError, err := a.call(ctx, app+"_greet", map[string]any{"name": "Ada"})
	if err != nil {
		return err
	}
	return expect(!isError && strings.Contains(text, "Hello Ada"), text)
}

func getsAnError(ctx context.Context, a *agent, app string) error {
	text, isError, err := a.call(ctx, app+"_fail", nil)
	if err != nil {
		return err
	}
	return expect(isError && strings.Contains(text, "out of stock"), text)
}

func (a *agent) unknownTool(ctx context.Context) error {
	text, _, err := a.call(ctx, "nobody_has_this", nil)
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("no JSON-RPC error: %v, %q", err, cut(text))
	}
	return expect(refused.Code == unknownTool, refused)
}

func cancels(ctx context.Context, a *agent, app string) error {
	before, err := a.stopped(ctx, app)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if _, _, err := a.call(short, app+"_slow", nil); err == nil {
		return errors.New("the slow call was answered")
	}
	for {
		now, err := a.stopped(ctx, app)
		if err != nil || now > before {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (a *agent) stopped(ctx context.Context, app string) (int, error) {
	text, _, err := a.call(ctx, app+"_stopped", nil)
	if err != nil {
		return 0, err
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	return strconv.Atoi(digits)
}

func hearsProgress(ctx context.Context, a *agent, app string) error {
	token := "progress-" + app
	params := &mcp.CallToolParams{Name: app + "_count", Meta: mcp.Meta{"progressToken": token}}
	result, err := a.session.CallTool(ctx, params)
	if err != nil {
		return err
	}
	if result.IsError {
		return expect(false, textOf(result.Content))
	}
	wanted := 3
	if app == "bridge" {
		// As often as the gateway reads something of the API's answer.
		wanted = 2
	}
	// The SDK hands over what it is told beside the answer.
	for {
		a.mu.Lock()
		heard := slices.Clone(a.heard[token])
		a.mu.Unlock()
		if len(heard) >= wanted {
			return expect(slices.IsSorted(heard), heard)
		}
		select {
		case <-ctx.Done():
			return expect(false, heard)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func takesABigAnswer(ctx context.Context, a *agent, app string) error {
	text, isError, err := a.call(ctx, app+"_big", nil)
	if err != nil {
		return err
	}
	return expect(!isError && len(text) >= big, fmt.Sprintf("%d %s", len(text), cut(text)))
}

func hearsLogs(ctx context.Context, a *agent, app string) error {
	params := &mcp.CallToolParams{Name: app + "_tell", Arguments: map[string]any{}}
	if app == "bridge" {
		params = &mcp.CallToolParams{Name: app + "_greet", Arguments: map[string]any{"name": "Ada"}}
	}
	if os.Getenv("REVISION") == stateless {
		params.Meta = mcp.Meta{"io.modelcontextprotocol/logLevel": "info"}
	} else if err := a.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		return err
	}
	a.mu.Lock()
	a.logs = nil
	a.mu.Unlock()
	result, err := a.session.CallTool(ctx, params)
	if err != nil || result.IsError {
		return expect(false, fmt.Sprint(err, result))
	}
	for {
		a.mu.Lock()
		told := strings.Join(a.logs, ", ")
		a.mu.Unlock()
		if told != "" {
			return expect(app == "bridge" || strings.Contains(told, "I was called"), told)
		}
		select {
		case <-ctx.Done():
			return errors.New("nothing was told")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func answersAQuestion(ctx context.Context, a *agent, app string) error {
	text, isError, err := a.call(ctx, app+"_who", nil)
	if err != nil {
		return err
	}
	return expect(!isError && strings.Contains(text, "It is Ada"), text)
}

func readsResources(ctx context.Context, a *agent, app string) error {
	listed, err := a.session.ListResources(ctx, nil)
	if err != nil {
		return err
	}
	about := app + "+toolbox://about"
	if !slices.ContainsFunc(listed.Resources, func(each *mcp.Resource) bool { return each.URI == about }) {
		return expect(false, "the resource is not listed")
	}
	if err := a.reads(ctx, about, "Ten shelves"); err != nil {
		return err
	}
	templates, err := a.session.ListResourceTemplates(ctx, nil)
	if err != nil {
		return err
	}
	items := app + "+toolbox://items/{item}"
	if !slices.ContainsFunc(templates.ResourceTemplates, func(each *mcp.ResourceTemplate) bool { return each.URITemplate == items }) {
		return expect(false, "the template is not listed")
	}
	return a.reads(ctx, app+"+toolbox://items/7", "Item 7")
}

func (a *agent) reads(ctx context.Context, uri, wanted string) error {
	result, err := a.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err
	}
	return expect(len(result.Contents) == 1 && strings.Contains(result.Contents[0].Text, wanted), result.Contents)
}

func getsPrompts(ctx context.Context, a *agent, app string) error {
	listed, err := a.session.ListPrompts(ctx, nil)
	if err != nil {
		return err
	}
	name := app + "_ask"
	if !slices.ContainsFunc(listed.Prompts, func(each *mcp.Prompt) bool { return each.Name == name }) {
		return expect(false, "the prompt is not listed")
	}
	result, err := a.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"topic": "shelves"}})
	if err != nil {
		return err
	}
	text, is := result.Messages[0].Content.(*mcp.TextContent)
	return expect(is && strings.Contains(text.Text, "Tell me about shelves"), result.Messages)
}
