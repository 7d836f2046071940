package feature

import "testing"

func TestWeakRefusesFailures(t *testing.T) {
	step := "Run the unit tests of the word counter"
	for _, text := range []string{
		"FAILED: 3 tests failed", "FAIL", "failed", "❌ FAILED", "FAIL src/words.test.js", "FAILED tests/test_a.py::test_x", "Error: Cannot find module 'x'",
		"error: exit code 1", "command: npm test, exit code 1", "exit status 2", "exited with code 127", "npm test -> exit 1", "exit_code: 3", "exited with a non-zero status",
		"npm ERROR: missing script", "3 tests failed", "1 failed, 5 passed in 1.2s", "It failed.", "does not work",
		"ОШИБКА: тест упал", "код выхода 1", "завершилось с кодом 2", "не работает", "провалено: три теста",
		"失败：3 个测试失败", "退出码 1", "测试失败", "错误：找不到模块",
	} {
		if Weak([]string{step}, []string{text})[0] == "" {
			t.Errorf("Weak(%q) found nothing", text)
		}
	}
	for _, text := range []string{
		"exit code 0", "command: npm test, exit code 0", "0 failed", "12 passed, 0 failed", "failed: 0, passed: 12", "error: none", "Error: null in the answer, ok is true",
		"no errors", "the form showed the error 'wrong password' as it should", "exit code 2 for a bad flag, as it should be", "exit code 0; with --nope exit code 2",
		"Failed logins show a message under the form", "error: 'name is required' is shown in red", "HTTP status 404 and the page of lost links", "The FAIL badge turned green",
		"ran 14 tests, all green; the exit sign is on page 3", "код выхода 0", "退出码 0", "14 тестов прошло, ошибок 0", "没有错误，14 个测试", "the 3 failed rows of the import are listed",
	} {
		if bad := Weak([]string{step}, []string{text}); len(bad) > 0 {
			t.Errorf("Weak(%q) = %v, want nothing", text, bad)
		}
	}
	for step, text := range map[string]string{
		"Log in with a wrong password":               "Error: password does not match",
		"Run it without arguments":                   "usage on stderr, exit code 2",
		"See that it exits with code 2":              "exit code 2, usage on stderr",
		"Import a broken file and see that it fails": "FAILED: line 3 has no comma",
		"Введите неверный пароль":                    "Ошибка: пароль не подходит",
		"输入错误的密码":                                    "错误：密码不匹配",
	} {
		if bad := Weak([]string{step}, []string{text}); len(bad) > 0 {
			t.Errorf("Weak(%q) to %q = %v, want nothing", text, step, bad)
		}
	}
	if Weak([]string{"Run npm test and see no errors"}, []string{"npm test: exit code 1"})[0] == "" {
		t.Error("a step that wants no errors takes an exit code of 1")
	}
}

func TestWeakKnowsTheStepsWords(t *testing.T) {
	for text, step := range map[string]string{
		"Opened the page.": "Open the page", "Clicked export!": "Click export", "I ran node wordy.js --help": "Run node wordy.js --help",
		"We saw the list of pages": "See the list of pages", "typed the names": "Type the name", "I have tried running it": "Try to run it",
		"Я открыл страницу": "Открыть страницу", "Нажал на кнопку экспорта": "Нажать на кнопку экспорт",
	} {
		if Weak([]string{step}, []string{text})[0] == "" {
			t.Errorf("Weak(%q) to %q found nothing", text, step)
		}
	}
	for text, step := range map[string]string{
		"The page opened with 3 rows": "Open the page", "export.csv was saved": "Click export", "перевод появился": "Смотри перед собой",
		"the list is empty": "See the list",
	} {
		if bad := Weak([]string{step}, []string{text}); len(bad) > 0 {
			t.Errorf("Weak(%q) to %q = %v, want nothing", text, step, bad)
		}
	}
}
