/// A function that the text of a module has before its classes, where it is called.
enum PyTorchHelper: String, CaseIterable {
  /// Padding that depends on the size of the image.
  case padSame = "pad_same"
  /// What a layer does to its input in training only.
  case noise = "training_noise"

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
              total = max((length - 1) // step * step + window - length, 0)
              borders += [total // 2, total - total // 2]
          return F.pad(x, borders, value=value)
      """.split(separator: "\n").map(String.init)
    case .noise:
      """
      def training_noise(x: Tensor, kind: str, rate: float, shared: list[int], training: bool) -> Tensor:
          \"""Random numbers in training only, the same ones along the shared axes.\"""
          if not training:
              return x
          size = [1 if axis in shared else x.shape[axis] for axis in range(x.dim())]
          if kind == "gaussian_noise":
              return x + rate * torch.randn(size, dtype=x.dtype, device=x.device)
          if kind == "gaussian_dropout":
              deviation: float = (rate / (1 - rate)) ** 0.5
              return x * (1 + deviation * torch.randn(size, dtype=x.dtype, device=x.device))
          ones = torch.ones(size, dtype=x.dtype, device=x.device)
          return x * F.dropout(ones, rate, True)
      """.split(separator: "\n").map(String.init)
    }
  }
}
