package feature

import "testing"

func TestWeak(t *testing.T) {
	step := "Verify AI response appears within 5 seconds"
	lazy := []string{
		"", "  ", "n/a", "N/A.", "ok", "OK!", "Done", "skipped, browser not available", "Skip", "passed", "✅", "-", "…", "works as expected", "Verified successfully",
		"All tests passed successfully", "Step 1 passed", "verify AI response appears within 5 seconds", "AI response appears", "not tested", "couldn't test it here",
		"готово", "Проверено, всё работает", "пропущено: нет браузера", "通过", "测试通过", "跳过", "步骤1已完成", "hecho", "todo bien", "omitido", "funciona correctamente",
		"fertig", "fait", "完了", "완료",
	}
	for _, text := range lazy {
		if bad := Weak([]string{step}, []string{text}); bad[0] == "" {
			t.Errorf("Weak(%q) found nothing", text)
		}
	}
	concrete := []string{
		"the reply came after 2.1 s", "HTTP 200, body {\"ok\":true}", "404", "12 tests passed, 0 failed", "ответ появился через две секунды", "两秒后出现回复", "la respuesta llegó en 2 s",
		"screenshot shows the answer bubble",
	}
	for _, text := range concrete {
		if bad := Weak([]string{step}, []string{text}); len(bad) > 0 {
			t.Errorf("Weak(%q) = %v, want nothing", text, bad)
		}
	}
	tests := []struct {
		name     string
		observed []string
		bad      []int
	}{
		{"one text for all", []string{"the page looked right", "the page looked right", "The page looked right."}, []int{0, 1, 2}},
		{"numbered", []string{"1. saw the page", "2. saw the page", "3. saw the page"}, []int{0, 1, 2}},
		{"one missing", []string{"the form opened", "two rows came"}, []int{2}},
		{"none", nil, []int{0, 1, 2}},
		{"each its own", []string{"the form opened", "two rows came", "the file has 40 KB"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad := Weak([]string{"Open it", "Look at it", "Save it"}, tt.observed)
			if len(bad) != len(tt.bad) {
				t.Fatalf("Weak() = %v, want %v", bad, tt.bad)
			}
			for _, i := range tt.bad {
				if bad[i] == "" {
					t.Errorf("Weak() = %v, want %v", bad, tt.bad)
				}
			}
		})
	}
}
