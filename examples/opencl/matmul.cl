// C = A * B, in tiles of TS x TS elements that a workgroup keeps in local
// memory; each work-item computes WPT elements of a column.
//
//   tonno-tune examples/opencl/matmul.cl -o tuned.cl
//
// tonno: --knob=TS=8,16,32
// tonno: --knob=WPT=1,2,4,8
// tonno: --constraint=TS mod WPT == 0
// tonno: --global-size=256, 256 / WPT
// tonno: --local-size=TS, TS / WPT
// tonno: --arg=N=256
// tonno: --arg=A=[256x256]
// tonno: --arg=B=[256x256]
// tonno: --arg=C=[256x256]:out

#ifndef TS
#define TS 8
#endif
#ifndef WPT
#define WPT 1
#endif
#define ROWS (TS / WPT)

kernel void matmul(int N, global const float *A, global const float *B,
                   global float *C) {
  local float tileA[TS][TS], tileB[TS][TS];
  const int column = get_local_id(0), first = get_local_id(1);
  const int left = TS * get_group_id(0), top = TS * get_group_id(1);
  float sums[WPT] = {0};
  for (int tile = 0; tile < N; tile += TS) {
    for (int w = 0; w < WPT; ++w) {
      const int row = first + w * ROWS;
      tileA[row][column] = A[(top + row) * N + tile + column];
      tileB[row][column] = B[(tile + row) * N + left + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; ++k)
      for (int w = 0; w < WPT; ++w)
        sums[w] += tileA[first + w * ROWS][k] * tileB[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < WPT; ++w)
    C[(top + first + w * ROWS) * N + left + column] = sums[w];
}
