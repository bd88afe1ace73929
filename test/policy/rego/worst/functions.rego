package orchestrator

f0(x) := x
f1(x) := array.concat(f0(array.concat(x, [1])), f0(array.concat(x, [2])))
f2(x) := array.concat(f1(array.concat(x, [1])), f1(array.concat(x, [2])))
f3(x) := array.concat(f2(array.concat(x, [1])), f2(array.concat(x, [2])))
f4(x) := array.concat(f3(array.concat(x, [1])), f3(array.concat(x, [2])))
f5(x) := array.concat(f4(array.concat(x, [1])), f4(array.concat(x, [2])))
f6(x) := array.concat(f5(array.concat(x, [1])), f5(array.concat(x, [2])))
f7(x) := array.concat(f6(array.concat(x, [1])), f6(array.concat(x, [2])))
f8(x) := array.concat(f7(array.concat(x, [1])), f7(array.concat(x, [2])))
f9(x) := array.concat(f8(array.concat(x, [1])), f8(array.concat(x, [2])))
g0(x) := f9(array.concat(f9(x), f9(x)))

result := count(g0(array.concat(g0([]), g0([1])))) > 0
