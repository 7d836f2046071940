package progress

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// mark is what a heading says about when its entry was written.
type mark struct {
	number    int    // of the session, or the plain number it begins with; -1 none
	named     bool   // a word such as session stands with the number
	id        string // session-005
	own       bool   // the heading is in this package's own form
	continued bool
	day       int // since 1970, 0 none
	minute    int // of the day; in UTC, and so maybe outside of it, where the offset is known
	timed     bool
	state     bool
}

// Words that stand before the number of a session, as seen in public logs.
const (
	latin    = `session|sess|iteration|iter|run|round|loop|day|entry|sprint|sesi[oó]n|sess[aã]o|sitzung|s[eé]ance`
	cyrillic = `сессия|сессии|сеанс|итерация|день|запуск|сесія`
	east     = `会话|會話|会议|轮次|迭代|セッション|세션|第`
)

var (
	ownHeading  = pattern.Lazy(`^Session \d+(?: \(continued\))?(?: \| [^|]*[+-]\d\d:\d\d)? \| session-\d+$`)
	sessionID   = pattern.Lazy(`(?i)(?:^|[^\p{L}\p{N}-])(session-\d{1,6})(?:$|[^\p{L}\p{N}-])`)
	sessionWord = pattern.Lazy(`(?i)(?:(?:^|[^\p{L}\p{N}])(?:` + latin + `|` + cyrillic + `)|` + east + `)` +
		`[\s_:：]*(?:#|№|-|–|—|no\.?|nr\.?)?\s*(\d{1,6})(?:$|\D)`)
	ordinal = pattern.Lazy(`(?i)^\D{0,4}(\d{1,6})(?:st|nd|rd|th|-я|-й|-ый)\s+(?:` + latin + `|` + cyrillic + `)`)
	leading = pattern.Lazy(`^[^\p{L}\d]{0,4}(\d{1,6})(?:[.):\s—–-]|$)`)

	yearFirst = pattern.Lazy(`(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})日?`)
	compact   = pattern.Lazy(`(?:^|\D)(20\d{2})(\d{2})(\d{2})(?:$|\D)`)
	dayFirst  = pattern.Lazy(`(?:^|\D)(\d{1,2})([./])(\d{1,2})[./](\d{4})`)
	months    = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)[\p{L}.]*`
	monthMid  = pattern.Lazy(`(?i)(\d{1,2})(?:st|nd|rd|th)?\s+` + months + `,?\s+(\d{4})`)
	monthLead = pattern.Lazy(`(?i)(?:^|[^\p{L}])` + months + `\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})`)
	clock     = pattern.Lazy(`(?i)(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*([ap]m|z|[+-]\d{2}:?\d{2})?`)

	stateWord = pattern.Lazy(`(?i)^[^\p{L}\d]*(?:current|status|state|latest|last|overview|summary|next|blockers?|` +
		`当前|目前|现状|状态|最新|最后更新|текущ|статус|состояние|обновлен|последн)`)
)

// longest is as much of a heading as is read.
const longest = 300

// markOf reads a heading. Only one that holds a digit can say anything, and the
// name of the project, which may hold any, says nothing.
func markOf(heading []byte) mark {
	m := mark{number: -1}
	heading = heading[:min(len(heading), longest)]
	if !bytes.ContainsAny(heading, "0123456789") || bytes.HasPrefix(heading, []byte("Project:")) {
		return m
	}
	text := string(heading)
	m.own = ownHeading().MatchString(text)
	m.continued = strings.Contains(strings.ToLower(text), "continued")
	m.state = stateWord().MatchString(text)
	if found := sessionID().FindStringSubmatch(text); found != nil {
		m.id = strings.ToLower(found[1])
	}
	rest := m.readDate(text)
	m.readNumber(rest)
	if m.id == "" && m.named {
		m.id = fmt.Sprintf("session-%03d", m.number)
	}
	return m
}

// readNumber looks where the date is cut out already, for "Session 2026-01-31"
// is no session 2026.
func (m *mark) readNumber(text string) {
	for _, pattern := range []*regexp.Regexp{sessionWord(), ordinal()} {
		if found := pattern.FindStringSubmatch(text); found != nil {
			m.number, m.named = atoi(found[1]), true
			return
		}
	}
	if m.id != "" {
		m.number, m.named = atoi(m.id[len("session-"):]), true
		return
	}
	if found := leading().FindStringSubmatch(text); found != nil {
		m.number = atoi(found[1])
	}
}

// readDate stores the date and time of day, and returns the text without them.
func (m *mark) readDate(text string) string {
	year, month, day, at := dateIn(text)
	if at == nil {
		return text
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day || year < 1971 {
		return text
	}
	m.day = int(date.Unix() / 86400)
	rest := text[:at[0]] + "\x00" + text[at[1]:]
	found := clock().FindStringSubmatchIndex(text[at[1]:])
	if found == nil {
		return rest
	}
	parts := clock().FindStringSubmatch(text[at[1]:])
	m.timed, m.minute = true, minuteOf(parts[1], parts[2], strings.ToLower(parts[3]))
	return text[:at[0]] + "\x00" + text[at[1]:][:found[0]] + text[at[1]:][found[1]:]
}

func minuteOf(hour, minute, zone string) int {
	h := atoi(hour)
	switch {
	case zone == "pm" && h < 12:
		h += 12
	case zone == "am" && h == 12:
		h = 0
	}
	at := h*60 + atoi(minute)
	if zone == "" || zone[0] != '+' && zone[0] != '-' {
		return at
	}
	offset := atoi(zone[1:3])*60 + atoi(zone[len(zone)-2:])
	if zone[0] == '-' {
		return at + offset
	}
	return at - offset
}

func dateIn(text string) (year, month, day int, at []int) {
	if f := yearFirst().FindStringSubmatchIndex(text); f != nil {
		return atoi(text[f[2]:f[3]]), atoi(text[f[4]:f[5]]), atoi(text[f[6]:f[7]]), f[:2]
	}
	if f := monthMid().FindStringSubmatchIndex(text); f != nil {
		return atoi(text[f[6]:f[7]]), monthNamed(text[f[4]:f[5]]), atoi(text[f[2]:f[3]]), f[:2]
	}
	if f := monthLead().FindStringSubmatchIndex(text); f != nil {
		return atoi(text[f[6]:f[7]]), monthNamed(text[f[2]:f[3]]), atoi(text[f[4]:f[5]]), f[:2]
	}
	if f := dayFirst().FindStringSubmatchIndex(text); f != nil {
		first, second := atoi(text[f[2]:f[3]]), atoi(text[f[6]:f[7]])
		if text[f[4]:f[5]] == "/" && first <= 12 {
			first, second = second, first // month/day/year
		}
		return atoi(text[f[8]:f[9]]), second, first, f[:2]
	}
	if f := compact().FindStringSubmatchIndex(text); f != nil {
		return atoi(text[f[2]:f[3]]), atoi(text[f[4]:f[5]]), atoi(text[f[6]:f[7]]), []int{f[2], f[7]}
	}
	return 0, 0, 0, nil
}

var monthNames = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec янв фев мар апр май июн июл авг сен окт ноя дек")

func monthNamed(name string) int {
	name = strings.Replace(strings.ToLower(name), "мая", "май", 1)
	for i, known := range monthNames {
		if name == known {
			return i%12 + 1
		}
	}
	return 0
}

func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// sense says whether a mark was made before or after another.
type sense int

const (
	unsaid sense = iota
	sooner
	later
)

func senseOf(difference int) sense {
	switch {
	case difference > 0:
		return later
	case difference < 0:
		return sooner
	}
	return unsaid
}

// byStamp compares m with other by date and, where both have it, time of day.
func (m mark) byStamp(other mark) sense {
	if m.day == 0 || other.day == 0 {
		return unsaid
	}
	if !m.timed || !other.timed {
		return senseOf(m.day - other.day)
	}
	return senseOf((m.day-other.day)*1440 + m.minute - other.minute)
}

// byNumber compares m with other by session and by its parts.
func (m mark) byNumber(other mark) sense {
	if m.number < 0 || other.number < 0 || m.named != other.named {
		return unsaid
	}
	if m.number == other.number && m.continued != other.continued {
		if m.continued {
			return later
		}
		return sooner
	}
	return senseOf(m.number - other.number)
}
