// tonno-opt --tonno-guard-names
func.func @erf(%x: memref<f64>) {
  %a = memref.load %x[] : memref<f64>
  %b = math.erf %a : f64
  memref.store %b, %x[] : memref<f64>
  return
}
