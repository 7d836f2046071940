package progress

import (
	"slices"
	"strings"
	"unicode"
)

// language holds the names of the four sections, and words that other files
// use for them, lower-case.
type language struct {
	names [4]string
	words [4][]string
}

var english = language{
	names: [4]string{"Completed", "In progress", "Blocked", "Next steps"},
	words: [4][]string{
		{"completed", "complete", "done", "finished", "completed features", "completed tasks", "completed work"},
		{"in progress", "in-progress", "doing", "wip", "ongoing", "current work", "currently working on", "working on"},
		{"blocked", "blockers", "blocking", "blocked by", "blocking issues"},
		{"next steps", "next", "next step", "up next", "what's next", "next actions", "next up", "todo next"},
	},
}

var chinese = language{
	names: [4]string{"已完成", "进行中", "阻塞", "下一步"},
	words: [4][]string{
		{"已完成", "完成", "已完成任务", "已完成功能", "完成的任务", "完成情况", "已經完成", "已完成的任务"},
		{"进行中", "正在进行", "進行中", "当前任务", "进行中的任务", "正在做"},
		{"阻塞", "受阻", "被阻塞", "阻塞项", "阻塞问题", "卡点", "阻礙", "阻碍"},
		{"下一步", "后续", "下一步计划", "后续计划", "接下来", "后续步骤", "下一步工作", "待办"},
	},
}

var russian = language{
	names: [4]string{"Готово", "В работе", "Заблокировано", "Следующие шаги"},
	words: [4][]string{
		{"готово", "сделано", "выполнено", "завершено", "завершённые", "сделанное"},
		{"в работе", "в процессе", "делается", "выполняется", "текущее"},
		{"заблокировано", "блокеры", "блокировки", "препятствия", "блокирует", "блокер"},
		{"следующие шаги", "дальше", "далее", "следующий шаг", "что дальше", "следующее", "планы"},
	},
}

// sectionOf tells which of the four sections a heading names, -1 none. Signs
// and numbers before the name, and what follows it in brackets or after a
// colon, do not count.
func sectionOf(text string) (kind int, lang language) {
	name := strings.ToLower(strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
	if at := strings.IndexAny(name, "(（[:：|/"); at >= 0 {
		name = name[:at]
	}
	name = strings.TrimRightFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, lang := range []language{english, chinese, russian} {
		for kind, words := range lang.words {
			if slices.Contains(words, name) {
				return kind, lang
			}
		}
	}
	return -1, english
}

// languageOf looks at the letters of the first part of a file.
func languageOf(file []byte) language {
	han, cyrillic, latin := 0, 0, 0
	for _, r := range string(file[:min(len(file), 1<<14)]) {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case r < 0x80 && unicode.IsLetter(r):
			latin++
		}
	}
	switch {
	case han*4 > latin && han > cyrillic:
		return chinese
	case cyrillic*2 > latin && cyrillic > 0:
		return russian
	}
	return english
}

// render writes the four headings with nothing below them.
func (l language) render(level int) string {
	var parts []string
	for _, name := range l.names {
		parts = append(parts, strings.Repeat("#", level)+" "+name+"\n")
	}
	return strings.Join(parts, "\n")
}
