// tonno-opt --tonno-lower-asserts
func.func @clamped(%holds: i1) {
  cf.assert %holds, "out of range"
  return
}
