// Convolutions of ResNet-50, without padding, for tonno-benchmark-gpu-bounds.

func.func @conv_56(%x: tensor<32x58x58x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<32x56x56x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x56x56x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x56x56x64xf32>) -> tensor<32x56x56x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x58x58x64xf16>, tensor<3x3x64x64xf16>) outs(%i : tensor<32x56x56x64xf32>) -> tensor<32x56x56x64xf32>
  return %r : tensor<32x56x56x64xf32>
}

func.func @conv_28(%x: tensor<32x30x30x128xf16>, %w: tensor<3x3x128x128xf16>) -> tensor<32x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x28x28x128xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x28x28x128xf32>) -> tensor<32x28x28x128xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x30x30x128xf16>, tensor<3x3x128x128xf16>) outs(%i : tensor<32x28x28x128xf32>) -> tensor<32x28x28x128xf32>
  return %r : tensor<32x28x28x128xf32>
}

func.func @conv_14(%x: tensor<32x16x16x256xf16>, %w: tensor<3x3x256x256xf16>) -> tensor<32x14x14x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x14x14x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x14x14x256xf32>) -> tensor<32x14x14x256xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x16x16x256xf16>, tensor<3x3x256x256xf16>) outs(%i : tensor<32x14x14x256xf32>) -> tensor<32x14x14x256xf32>
  return %r : tensor<32x14x14x256xf32>
}

func.func @conv_7(%x: tensor<32x9x9x512xf16>, %w: tensor<3x3x512x512xf16>) -> tensor<32x7x7x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x7x7x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x7x7x512xf32>) -> tensor<32x7x7x512xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x9x9x512xf16>, tensor<3x3x512x512xf16>) outs(%i : tensor<32x7x7x512xf32>) -> tensor<32x7x7x512xf32>
  return %r : tensor<32x7x7x512xf32>
}

func.func @conv_28_stride_2(%x: tensor<32x57x57x128xf16>, %w: tensor<3x3x128x128xf16>) -> tensor<32x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x28x28x128xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x28x28x128xf32>) -> tensor<32x28x28x128xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x57x57x128xf16>, tensor<3x3x128x128xf16>) outs(%i : tensor<32x28x28x128xf32>) -> tensor<32x28x28x128xf32>
  return %r : tensor<32x28x28x128xf32>
}

func.func @conv_unit(%x: tensor<32x56x56x64xf16>, %w: tensor<1x1x64x256xf16>) -> tensor<32x56x56x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x56x56x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x56x56x256xf32>) -> tensor<32x56x56x256xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x56x56x64xf16>, tensor<1x1x64x256xf16>) outs(%i : tensor<32x56x56x256xf32>) -> tensor<32x56x56x256xf32>
  return %r : tensor<32x56x56x256xf32>
}

func.func @conv_112(%x: tensor<32x230x230x3xf16>, %w: tensor<7x7x3x64xf16>) -> tensor<32x112x112x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x112x112x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x112x112x64xf32>) -> tensor<32x112x112x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x230x230x3xf16>, tensor<7x7x3x64xf16>) outs(%i : tensor<32x112x112x64xf32>) -> tensor<32x112x112x64xf32>
  return %r : tensor<32x112x112x64xf32>
}

func.func @conv_28_i8(%x: tensor<32x30x30x128xi8>, %w: tensor<3x3x128x128xi8>) -> tensor<32x28x28x128xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32x28x28x128xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<32x28x28x128xi32>) -> tensor<32x28x28x128xi32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x30x30x128xi8>, tensor<3x3x128x128xi8>) outs(%i : tensor<32x28x28x128xi32>) -> tensor<32x28x28x128xi32>
  return %r : tensor<32x28x28x128xi32>
}

func.func @conv_28_channels_first(%x: tensor<32x128x30x30xf16>, %w: tensor<128x128x3x3xf16>) -> tensor<32x128x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128x28x28xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x128x28x28xf32>) -> tensor<32x128x28x28xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<32x128x30x30xf16>, tensor<128x128x3x3xf16>) outs(%i : tensor<32x128x28x28xf32>) -> tensor<32x128x28x28xf32>
  return %r : tensor<32x128x28x28xf32>
}
