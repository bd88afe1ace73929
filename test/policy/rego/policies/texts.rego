package orchestrator

memo := input.request.mcp.tool.params.arguments.memo

parts := {
	"upper": upper(memo),
	"trimmed": trim(memo, " .x"),
	"split": split(memo, " "),
	"replaced": replace(memo, "a", "é"),
	"found": regex.find_n(`[a-z]+`, memo, 3),
	"groups": regex.find_all_string_submatch_n(`(\w)(\d*)`, memo, -1),
	"indexes": indexof_n(memo, "e"),
	"substring": substring(memo, 1, 4),
	"base64": base64.encode(memo),
	"url": urlquery.encode(memo),
	"sha": crypto.sha256(memo),
	"format": sprintf("%5s|%-8v|%q|%x|%d", [memo, memo, memo, memo, count(memo)]),
	"reversed": strings.reverse(memo),
	"splitby": regex.split(`\s+`, memo),
	"replacedby": regex.replace(memo, `(\w)\s`, "$1-"),
}

default result := {"allowed": false, "external_message": "no memo"}

result := {"allowed": startswith(memo, "a"), "external_message": json.marshal(parts)}
