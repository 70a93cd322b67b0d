package serve

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"os"
	"strings"
)

// Tokens are the words that let a client in, one of them in "Authorization: Bearer TOKEN".
type Tokens struct{ hashes [][sha256.Size]byte }

// minTokenLength is the length below which a token is too easy to guess.
const minTokenLength = 16

// ReadTokens reads a file with a token on each line. Blank lines and those that begin with # are left out.
func ReadTokens(path string) (*Tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Tokens{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		token := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		switch {
		case token == "" || token[0] == '#':
			continue
		case len(token) < minTokenLength:
			return nil, fmt.Errorf("%s:%d: a token of %d characters, at least %d are needed: openssl rand "+
				"-hex 32 makes one", path, n, len(token), minTokenLength)
		case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, fmt.Errorf("%s:%d: a token has visible ASCII characters alone: write one on each line, "+
				"without blanks, in a file of plain text", path, n)
		}
		t.hashes = append(t.hashes, sha256.Sum256([]byte(token)))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.hashes == nil {
		return nil, fmt.Errorf("%s: holds no token: openssl rand -hex 32 makes one", path)
	}
	return t, nil
}

// allow reports whether a header grants access. It takes as long for any word: hashes of one size are compared, all of
// them, in constant time.
func (t *Tokens) allow(authorization string) bool {
	if t == nil {
		return true
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := 0
	for i := range t.hashes {
		found |= subtle.ConstantTimeCompare(hash[:], t.hashes[i][:])
	}
	return found == 1 && strings.EqualFold(scheme, "bearer")
}

// IsLoopback reports whether an address that is listened on can be reached from this machine alone.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
