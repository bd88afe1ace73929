package orchestrator

default base := false

base if "editor" in input.user.roles

as_reader := value if value := base with input.user.roles as ["reader"]

as_editor if base with input.user.roles as array.concat(input.user.roles, ["editor"])

with_data := value if value := count(data.grants) with data.grants as {}

result := {"allowed": allowed, "external_message": sprintf("%v %v %v", [as_reader, as_editor, with_data])}

allowed if {
	not as_reader
	as_editor
	base
} else := false
