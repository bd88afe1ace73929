// An upstream of Go's own server and router: it says which path it read, and which of its handlers got the request.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

func handler(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"handler": name, "path": r.URL.Path, "target": r.RequestURI})
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/open/", handler("open"))
	mux.HandleFunc("/admin/", handler("admin"))
	mux.HandleFunc("/admin", handler("admin"))
	mux.HandleFunc("/", handler("other"))
	fmt.Println(listener.Addr().String())
	panic(http.Serve(listener, mux))
}
