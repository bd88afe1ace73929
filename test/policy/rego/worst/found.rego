package orchestrator

text := concat("", [x | some _ in numbers.range(1, 5000); x := "aaaaaaaaaa"])

result := count(regex.find_all_string_submatch_n("((a|aa)+)(a*)(a{500})(b|$)", text, -1)) > 0
