package feature

import (
	"fmt"
	"slices"
	"strings"
)

// Weak returns which steps an attestation leaves unproven, and why: nothing
// observed, a stock answer, something skipped, a failure, the step's own words,
// or one text for all steps. The keys are indexes of steps.
func Weak(steps []string, observed []string) (bad map[int]string) {
	bad = map[int]string{}
	for i, step := range steps {
		text := ""
		if i < len(observed) {
			text = observed[i]
		}
		if why := weak(step, text); why != "" {
			bad[i] = why
		}
	}
	if len(bad) == 0 && len(steps) > 1 && oneForAll(observed[:len(steps)]) {
		for i := range steps {
			bad[i] = "one text for all steps"
		}
	}
	return bad
}

func weak(step, text string) string {
	words := wordsOf(text)
	said := strings.Join(words, " ")
	switch {
	case strings.TrimSpace(text) == "":
		return "nothing observed"
	case len(words) == 0:
		return fmt.Sprintf("%q says nothing", clip(strings.TrimSpace(text), 20))
	case skipped(said):
		return fmt.Sprintf("%q: a step that was skipped is not verified", clip(text, 40))
	case failed(step, text):
		return fmt.Sprintf("%q: a step that failed is not verified", clip(text, 40))
	case noneSeen[said] != "" && !strings.Contains(strings.ToLower(step), noneSeen[said]):
		return ""
	case stock[strings.ReplaceAll(said, " ", "")] || allFiller(words):
		return fmt.Sprintf("%q is no observation: say what was seen", clip(text, 40))
	case within(words, wordsOf(step)):
		return "repeats the step: say what was seen"
	}
	return ""
}

// stock are whole answers that say nothing, without spaces and punctuation.
var stock = wordSet(`na none nil null ok okay k done yes y yep true pass passed passes passing success successful fine good great
 works worked working verified checked tested confirmed complete completed finished correct lgtm seeabove sameasabove same ditto
 tbd todo asexpected allgood looksgood itworks noissues noproblem noproblems worksasexpected
 ок да готово сделано работает пройдено проверено успешно выполнено нд нет норм хорошо отлично всёхорошо всехорошо всёработает всеработает
 какожидалось всёок всеок подтверждено завершено
 通过 完成 已完成 好 好的 正常 成功 已验证 验证通过 测试通过 没问题 没有问题 可以 是 无 对 行 工作正常 一切正常 符合预期 已通过 已测试 已确认 同上 略 通過 沒問題 測試通過
 hecho listo bien funciona completado pasa pasado pasó sí si todobien correcto ninguno aprobado verificado probado exito éxito
 fertig erledigt funktioniert bestanden geprüft gut passt ja inordnung fait terminé réussi bon vérifié oui çamarche toutvabien
 feito pronto concluído tudocerto tudobem sim aprovado 完了 確認済み 問題なし 問題ありません 合格 はい 正常です 完了しました 확인 완료 통과 성공 정상 확인함 확인완료 문제없음 네`)

// noneSeen are whole answers of filler that name what was looked for; a step
// that names it too is only repeated.
var noneSeen = map[string]string{"no errors": "error", "no error": "error", "no errors found": "error", "без ошибок": "ошиб", "sin errores": "error"}

// filler are words that make up an answer without an observation in it.
var filler = wordSet(`ok okay done pass passed passes passing success successful successfully fine good great well work works
 worked working verified verify checked check tested test tests testing confirmed complete completed finished correct correctly
 properly expected as all everything it is was has been the a an this that step and i we they he she my our you your me us then also have had did no issues issue problems problem errors
 error found seen above same everywhere works looks look seems seem manually fully now yes behaves behaved feature functionality
 я мы он она оно они мной нами всё все работает проверено проверил шаг успешно как ожидалось выполнено и это ок готово хорошо тест тесты пройден пройдены без ошибок корректно
 todo funciona correctamente bien paso verificado como se esperaba prueba pruebas el la está es y sin errores
 通 过 完 成 已 验 证 测 试 步 骤 正 常 功 能 工 作 没 有 问 题 成 功 了 的 是 一 切 都 好 符 合 预 期 确 认`)

// allFiller reports a text of nothing but filler; the number of a step is filler too.
func allFiller(words []string) bool {
	for i, w := range words {
		numbered := i > 0 && slices.Contains([]string{"step", "шаг", "paso", "骤"}, words[i-1]) && strings.Trim(w, "0123456789") == ""
		if !filler[w] && !numbered {
			return false
		}
	}
	return true
}

// skipped reports an answer that says the step was not done.
func skipped(said string) bool {
	said = strings.TrimPrefix(said, "was ")
	for _, start := range []string{"skip", "not tested", "not verified", "not run", "not applicable", "not checked", "untested", "unverified",
		"could not test", "couldn t test", "could not verify", "unable to test", "unable to verify", "cannot test", "can t test",
		"did not test", "didn t test", "n a ", "assumed", "should work", "will test", "to be tested",
		"пропущ", "пропуск", "не провер", "не тестир", "не удалось провер", "должно работать",
		"omitid", "omito", "saltad", "no probad", "no verificad", "no se pudo", "debería funcionar",
		"übersprungen", "nicht getestet", "ignoré", "non testé", "pas testé", "pulado", "não testado", "スキップ", "건너"} {
		if strings.HasPrefix(said+" ", start) {
			return true
		}
	}
	dense := strings.ReplaceAll(said, " ", "")
	for _, start := range []string{"跳过", "跳過", "未测试", "未測試", "未验证", "没有测试", "无法测试", "应该可以", "スキップ", "未確認", "건너뜀"} {
		if strings.HasPrefix(dense, start) {
			return true
		}
	}
	return said == "n a"
}

// within reports an observation that has no word of its own beside the step's,
// whatever their endings.
func within(words, step []string) bool {
	if len(step) == 0 {
		return false
	}
	for _, w := range words {
		if !filler[w] && !slices.ContainsFunc(step, func(s string) bool { return sameWord(w, s) }) {
			return false
		}
	}
	return true
}

// oneForAll reports the same text for every step, but for a step's number.
func oneForAll(observed []string) bool {
	first := unnumbered(observed[0], 1)
	for i, text := range observed[1:] {
		if unnumbered(text, i+2) != first {
			return false
		}
	}
	return true
}

func unnumbered(text string, number int) string {
	words := wordsOf(text)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == fmt.Sprint(number) }), " ")
}
