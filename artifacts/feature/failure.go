package feature

import (
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// failed reports an observation that plainly says that the step failed: an exit
// status other than 0, or a text that is, or begins as, the report of a failure.
// Prose about errors is none: where the step wants a failure, or the text says
// that it was wanted or shown, the observation counts.
func failed(step, text string) bool {
	switch {
	case wantsFailure(step):
		return false
	case badExit(text):
		return !wanted().MatchString(text)
	case failures[strings.Join(wordsOf(text), "")], failedCount(text):
		return true
	}
	start := failureStart().FindStringIndex(text)
	return start != nil && !noFailure().MatchString(text[start[1]:]) && !wanted().MatchString(text) && !displayed().MatchString(text)
}

var (
	exitCode = pattern.Lazy(`(?i)(?:\bexit(?:ed|s)?[\s_-]*(?:with\s+)?(?:(?:an?|the)\s+)?(?:(?:exit|error)\s+)?(?:code|status)` +
		`|\breturn[_-]?code|код(?:ом)?\s+(?:выхода|возврата|завершения)|(?:заверши\pL*|вышл?\pL*)\s+с\s+кодом` +
		`|退出(?:代|状态|狀態)?[码碼]|退出状态|返回码)["']?[\s:：=—–-]*(?:(?:was|is|of|为|是)\s*)?(\d+)`)
	exitAlone = pattern.Lazy(`(?i)(?:(?:^|[,;:(>→=])\s*exit:?|\bexit=|\bexited\s+with)\s*[1-9]\d*\s*(?:$|[.,;)])`)
	nonZero   = pattern.Lazy(`(?i)\bexit(?:ed|s)?\s+(?:with\s+)?(?:an?\s+)?non-?zero\b|\bnon-?zero\s+exit\b`)
)

// badExit reports an exit status other than 0, where none of 0 stands beside it.
func badExit(text string) bool {
	bad := exitAlone().MatchString(text) || nonZero().MatchString(text)
	for _, found := range exitCode().FindAllStringSubmatch(text, -1) {
		status, err := strconv.ParseUint(found[1], 10, 32)
		if status == 0 && err == nil {
			return false
		}
		bad = true
	}
	return bad
}

// failures are whole answers that report a failure, without spaces and punctuation.
var failures = wordSet(`fail fails failed failing failure error errored broken crashed itfailed itfails testfailed testfails testsfailed
 thetestfailed thetestsfailed thestepfailed stepfailed buildfailed doesnotwork doesntwork itdoesnotwork itdoesntwork notworking didnotwork didntwork
 провал провалено ошибка сбой упало упал неработает неработало непрошло непрошёл непрошел непройдено непройден тестнепройден тестыупали
 失败 错误 测试失败 未通过 测试未通过 不通过 失敗 錯誤 測試失敗 出错 报错`)

// failureStart is how a report of a failure begins. FAIL in capitals is one
// before anything; "Failed" in a sentence may be about what is on the page.
var failureStart = pattern.Lazy(`^[^\pL\pN]*(?:(?:FAIL|FAILED|FAILURE)\b(?:\s*[:=-])?` +
	`|(?i:fail|fails|failed|failure|fatal|(?:fatal |npm )?error)(?:\s*[:：]|\s+[—–-]\s)` +
	`|(?i:ошибка|сбой|провал|провалено|упало|не\s+(?:прошл[оаи]|прош[её]л))(?:\s*[:：]|\s+[—–-]\s)` +
	`|(?:测试)?(?:失败|未通过|错误|失敗|錯誤|出错|报错)\s*[:：])`)

var (
	noFailure = pattern.Lazy(`(?i)^["']?\s*(?:0\b|none\b|no\b|null\b|nil\b|false\b|undefined\b|""|''|\{\}|\[\]|нет|无|沒有|没有)`)

	// wanted says that the failure is the right outcome.
	wanted = pattern.Lazy(`(?i)\bexpect|\bshould\b|\bintended\b|\bcorrectly\b|\brefus|\breject|\binvalid\b|\bwrong\b|\bbad\b` +
		`|ожида|должн|как\s+и\s+|отказ|отклон|неверн|预期|應該|应该|应当|拒绝|无效|無效`)

	// displayed says that the failure is what the page shows.
	displayed = pattern.Lazy(`(?i)\bshow|\bappear|\bdisplay|\bvisible\b|\bmessage\b|\btoast\b|\bbanner\b|\bbadge\b|\blabel\b|\bprinted\b` +
		`|показ|появ|отображ|видн|сообщени|显示|顯示|出现|出現|提示`)
)

var (
	countedFailure = pattern.Lazy(`(?i)\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failing|failures?)\b`)
	countWords     = wordSet("test tests suite suites spec specs passed passing failed failing failure failures skipped pending total in s ms of out and with assertions")
)

// failedCount reports a summary of tests, and nothing but that, in which some failed.
func failedCount(text string) bool {
	if !countedFailure().MatchString(text) {
		return false
	}
	for _, w := range wordsOf(text) {
		if !countWords[w] && strings.Trim(strings.TrimRight(w, "ms"), "0123456789") != "" {
			return false
		}
	}
	return true
}

var (
	noErrors = pattern.Lazy(`(?i)(?:\b(?:no|zero|0|without|not|never)\b|n't|n’t|без|нет|не|没有|無|无|不)\s*(?:(?:any|have|has|give|show|throw|be|a|the|console|test|tests|javascript|js)\s+)*` +
		`(?:fail\w*|errors?\b|warn\w*|crash\w*|exceptions?|broken?|ошиб\pL*|отказ\pL*|错误|失败|异常|報錯|报错)`)
	failureWords = pattern.Lazy(`(?i)\bfail|\berr(?:or)?s?\b|\binvalid|\bwrong|\bincorrect|\brefus|\breject|\bden(?:y|ied|ies)|\bcrash|\bnon-?zero|\bmissing|\bempty\b` +
		`|\bunknown|\bbad\b|\billegal|\bforbid|\bunauthori|\bexception|\bwarn|\babort|\bbroken?\b|\bkill|\btime\s?out|\bduplicate|\bcannot\b|\bexit(?:s|ed)?\s+(?:with\s+)?(?:code|status)?\s*[1-9]` +
		`|\bnot (?:allowed|found|exist)|\bnonexist|\bmalformed|\bwithout\b|ошиб|невер|неправ|отказ|отклон|пуст|недопуст|без\s|запре|несущ|код\pL*\s+(?:выхода|возврата|завершения)\s*[1-9]` +
		`|错误|失败|无效|拒绝|为空|非法|异常|报错|缺少|不存在|錯誤|失敗|無效|拒絕`)
)

// wantsFailure reports a step whose right outcome may be a failure.
func wantsFailure(step string) bool {
	return failureWords().MatchString(noErrors().ReplaceAllString(step, " "))
}
