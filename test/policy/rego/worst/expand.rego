package orchestrator

result := count(net.cidr_expand("::/0")) > 0
