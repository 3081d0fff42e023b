/// A function that the text of a module has before its classes, where it is called.
enum PyTorchHelper: String, CaseIterable {
  /// Padding that depends on the size of the image.
  case padSame = "pad_same"

  /// Its lines.
  var lines: [String] {
    switch self {
    case .padSame:
      """
      def pad_same(x: Tensor, size: list[int], stride: list[int], value: float = 0.0) -> Tensor:
          \"""Pads images for ceil(size / stride) windows; an odd element is added at the end.\"""
          borders: list[int] = []
          for axis in range(x.dim() - 1, 1, -1):
              length, window, step = x.shape[axis], size[axis - 2], stride[axis - 2]
              total = max((-(-length // step) - 1) * step + window - length, 0)
              borders += [total // 2, total - total // 2]
          return F.pad(x, borders, value=value)
      """.split(separator: "\n").map(String.init)
    }
  }
}
