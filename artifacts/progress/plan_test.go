package progress

import (
	"reflect"
	"testing"
)

func TestMilestones(t *testing.T) {
	two := []Milestone{{Title: "Auth", Steps: []string{"token", "login"}}, {Title: "Schema", Steps: []string{"migrate"}}}
	tests := []struct {
		name, plan string
		want       []Milestone
	}{
		{"own", string(NewPlan(head5, two)), two},
		{"phases", "# Plan\n\n## Goals\n- be good\n\n## Phase 1: Auth\n- token\n- login\n\n## Phase 2 - Schema\n1. migrate\n", two},
		{"numbered", "# Plan\n\n## 1. Auth\n- token\n- login\n## 2. Schema\n- migrate\n", two},
		{"below milestones", "# Plan\n## Overview\n- words\n## Milestones\n### Auth\n- token\n- login\n### Schema\n- migrate\n## Risks\n- none\n", two},
		{"nested list", "# Plan\n\n- Auth\n  - token\n  - login\n- Schema\n  - migrate\n", two},
		{"list below tasks", "# P\n\n## Tasks\n1. Auth\n   - token\n   - login\n2. Schema\n   - migrate\n\n## Notes\n- x\n", two},
		{"headings with lists", "# Auth rewrite\n\n## Auth\n- token\n- login\n\n## Schema\n- migrate\n\n## Notes\n- x\n", two},
		{"sub-headings", "## Phase 1: Auth\n### 1.1 tokens\n- token\n### 1.2 users\n- login\n## Phase 2: Schema\n- migrate\n", two},
		{"chinese", "# 计划\n\n## 目标\n- 好\n\n## 里程碑 1：Auth\n- token\n- login\n\n## 里程碑 2：Schema\n- migrate\n", two},
		{"chinese numerals", "## 阶段一：Auth\n- token\n- login\n## 阶段二：Schema\n- migrate\n", two},
		{"russian", "# План\n\n## Этап 1. Auth\n- token\n- login\n\n## Этап 2. Schema\n- migrate\n", two},
		{"windows", "\ufeff# Plan\r\n\r\n## M1: Auth\r\n- token\r\n- login\r\n\r\n## M2: Schema\r\n- migrate\r\n", two},
		{"fenced", "# Plan\n\n```\n## Phase 9: no\n- no\n```\n\n## Phase 1: Auth\n- token\n```\n- no\n```\n- login\n## Phase 2: Schema\n- migrate\n", two},
		{"bold", "## **Phase 1: Auth**\n- token\n- login\n## **Phase 2: Schema**\n- migrate\n", two},
		{"underlined", "Phase 1: Auth\n-------------\n- token\n- login\n\nPhase 2: Schema\n---------------\n- migrate\n", two},
		{"ticked", "# Plan\n- [x] Auth\n- [ ] Schema\n", []Milestone{{Title: "Auth", Done: true}, {Title: "Schema"}}},
		{"ticked steps", "## Phase 1: Auth\n- [x] token\n- [x] login\n## Phase 2: Schema\n- [x] a\n- [ ] b\n",
			[]Milestone{{Title: "Auth", Steps: []string{"token", "login"}, Done: true}, {Title: "Schema", Steps: []string{"a", "b"}}}},
		{"ticked heading", "## Phase 1: Auth ✅\n- token\n## Phase 2: Schema\n- b\n",
			[]Milestone{{Title: "Auth", Steps: []string{"token"}, Done: true}, {Title: "Schema", Steps: []string{"b"}}}},
		{"no steps", "## Milestone 1: Auth\nprose\n\n## Milestone 2: Schema\n", []Milestone{{Title: "Auth"}, {Title: "Schema"}}},
		{"empty", "", nil},
		{"prose", "# Plan\n\nWe do it.\n", nil},
	}
	for _, test := range tests {
		if got := Milestones([]byte(test.plan)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: Milestones() = %+v\nwant %+v", test.name, got, test.want)
		}
	}
}

func TestPlanTextsAreData(t *testing.T) {
	for _, text := range hostile {
		plan := NewPlan(head5, []Milestone{{Title: "a " + text, Steps: []string{text, "b"}}, {Title: "c", Steps: []string{"d"}}})
		got := Milestones(plan)
		if len(got) != 2 || got[1].Title != "c" {
			t.Errorf("%q: Milestones() = %+v of %s", text, got, plan)
		}
	}
}

func FuzzMilestones(f *testing.F) {
	f.Add("# Plan\n## Phase 1: a\n- [x] b\n")
	f.Add("- a\n\t- b\n")
	f.Fuzz(func(t *testing.T, plan string) {
		for _, m := range Milestones([]byte(plan)) {
			for _, step := range m.Steps {
				if step == "" && m.Title == "" {
					t.Fatalf("an empty milestone in %q", plan)
				}
			}
		}
	})
}
