import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// Tensors that reference kernels compute in several blocks, pieces or sections, with the same bits as
/// number by number.
@Suite struct LargeTensorTests {
  private let workers = Workers(count: 3)

  private func random(_ shape: [Int], _ seed: UInt64, _ type: ElementType = .float32) -> Tensor {
    .random(type, shape: shape, in: -1...1, seed: seed)
  }

  @Test(
    "A matrix product adds in the order of the elements, whatever the blocks",
    arguments: [
      (rows: 131, columns: 130, inner: 300), (rows: 1, columns: 515, inner: 7),
      (rows: 260, columns: 2, inner: 0), (rows: 6, columns: 5, inner: 40_000),
    ])
  func products(rows: Int, columns: Int, inner: Int) throws {
    let (first, second) = (random([2, rows, inner], 1), random([2, inner, columns], 2))
    let result = try MatMul(transposeA: false, transposeB: false)
      .evaluate([first, second], workers: workers)[0]
    let (a, b) = (first.doubles, second.permuted([0, 2, 1]).doubles)
    let sums = (0..<2 * rows * columns).map { index in
      let (row, column) = (index / columns, index / (rows * columns) * columns + index % columns)
      return (0..<inner).reduce(0.0) { $0 + a[row * inner + $1] * b[column * inner + $1] }
    }
    let expected = Tensor(.float32, shape: [2, rows, columns], sums)
    #expect(result.shape == expected.shape)
    #expect(result.contiguousBytes() == expected.contiguousBytes())
  }

  @Test(
    "A convolution starts with the bias and adds channel by channel, whatever the blocks",
    arguments: [(1, 9), (2, 10), (6, 12)], [DataLayout.channelsFirst, .channelsLast])
  func convolutions(_ channels: (groups: Int, out: Int), _ layout: DataLayout) throws {
    let window = Window(size: [3, 2], strides: [2, 1], dilation: [1, 2], padding: .valid)
    let operation = Convolution(
      window: window, groups: channels.groups, hasBias: true, layout: layout)
    let planes = random([2, 6, 41, 25], 3)
    let kernel = random([channels.out, 6 / channels.groups, 3, 2], 4)
    let bias = random([channels.out], 5)
    let (last, first) = ([0, 2, 3, 1], [0, 3, 1, 2])
    let input = layout == .channelsLast ? planes.permuted(last) : planes
    var result = try operation.evaluate([input, kernel, bias], workers: workers)[0]
    if layout == .channelsLast { result = result.permuted(first) }
    let sums = Self.sums(planes.doubles, kernel, bias.doubles, channels.groups)
    let expected = Tensor(.float32, shape: [2, channels.out, 20, 23], sums)
    #expect(result.shape == expected.shape)
    #expect(result.contiguousBytes() == expected.contiguousBytes())
  }

  /// The sums of windows of 3 x 2 with strides 2 and 1, and gaps of 1 in a row, of two images of 6
  /// channels, 41 x 25.
  private static func sums(
    _ planes: [Double], _ kernel: Tensor, _ bias: [Double], _ groups: Int
  ) -> [Double] {
    let (out, count, weights) = (kernel.shape[0], kernel.shape[1], kernel.doubles)
    return (0..<2 * out * 20 * 23).map { index in
      let (image, channel) = (index / (out * 460), index / 460 % out)
      let (y, x) = (index % 460 / 23, index % 23)
      return (0..<count * 6).reduce(bias[channel]) { sum, tap in
        let plane = image * 6 + channel / (out / groups) * count + tap / 6
        let position = (plane * 41 + 2 * y + tap % 6 / 2) * 25 + x + 2 * (tap % 2)
        return sum + planes[position] * weights[channel * count * 6 + tap]
      }
    }
  }

  /// The strides and the gaps of a window of 3 x 4, with and without common factors.
  struct Steps: Sendable {
    let strides: [Int], dilation: [Int]
  }

  @Test(
    "A transposed convolution starts with the bias and adds channel by channel, element by element",
    arguments: [
      (Steps(strides: [2, 3], dilation: [1, 1]), 1),
      (Steps(strides: [2, 2], dilation: [2, 3]), 2),
      (Steps(strides: [4, 1], dilation: [2, 2]), 1),
      (Steps(strides: [1, 5], dilation: [3, 4]), 3),
    ],
    [false, true])
  func transposedConvolutions(_ use: (steps: Steps, groups: Int), hasInfinity: Bool) throws {
    let operation = TransposedConvolution(
      window: Window(
        size: [3, 4], strides: use.steps.strides, dilation: use.steps.dilation,
        padding: .explicit(before: [1, 0], after: [0, 2])),
      outputPadding: [0, 1], groups: use.groups, hasBias: true, layout: .channelsFirst)
    let (input, bias) = (random([2, 6, 5, 7], 10), random([5 * use.groups], 12))
    var weights = random([6, 5, 3, 4], 11).doubles
    if hasInfinity { weights[17] = .infinity }
    let kernel = Tensor(.float32, shape: [6, 5, 3, 4], weights)
    let result = try operation.evaluate([input, kernel, bias], workers: workers)[0]
    let sums = Self.scattered(input.doubles, weights, bias.doubles, use.steps)
    let (height, width) = (sums.shape[2], sums.shape[3])
    let expected = sums.slice(1..<height, along: 2).slice(0..<width - 2, along: 3)
    #expect(result.shape == expected.shape)
    #expect(result.contiguousBytes() == expected.contiguousBytes())
    #expect(expected.doubles.contains { !$0.isFinite } == hasInfinity)
  }

  @Test("Strides that no position needs take no time and no memory")
  func largeStrides() throws {
    let operation = TransposedConvolution(
      window: Window(
        size: [2, 3], strides: [1 << 30, 1 << 30], dilation: [1, 2], padding: .valid),
      outputPadding: [0, 0], groups: 1, hasBias: false, layout: .channelsFirst)
    let kernel = random([1, 1, 2, 3], 20)
    let result = try operation.evaluate(
      [Tensor(.float32, shape: [1, 1, 1, 1], [2]), kernel], workers: workers)[0]
    let numbers = kernel.doubles.map { 2 * $0 }
    #expect(result.shape == [1, 1, 2, 5])
    #expect(
      result.doubles == [
        numbers[0], 0, numbers[1], 0, numbers[2], numbers[3], 0, numbers[4], 0, numbers[5],
      ])
  }

  /// Two images of 6 channels, 5 x 7, each element of which is multiplied by a window and added; with one
  /// column more at the end.
  private static func scattered(
    _ elements: [Double], _ weights: [Double], _ bias: [Double], _ steps: Steps
  ) -> Tensor {
    let (strides, dilation, out) = (steps.strides, steps.dilation, bias.count)
    let height = 4 * strides[0] + 2 * dilation[0] + 1
    let width = 6 * strides[1] + 3 * dilation[1] + 2
    var sums = (0..<2 * out * height * width).map { bias[$0 / (height * width) % out] }
    let count = 6 / (out / 5)
    for plane in 0..<2 * out {
      for channel in 0..<count {
        let source = plane % out / 5 * count + channel
        for position in 0..<35 {
          let element = elements[(plane / out * 6 + source) * 35 + position]
          for tap in 0..<12 {
            let y = position / 7 * strides[0] + tap / 4 * dilation[0]
            let x = position % 7 * strides[1] + tap % 4 * dilation[1]
            sums[(plane * height + y) * width + x] +=
              element * weights[(source * 5 + plane % 5) * 12 + tap]
          }
        }
      }
    }
    return Tensor(.float32, shape: [2, out, height, width], sums)
  }

  @Test(
    "A formula of lanes is computed as for each part alone",
    arguments: [
      LayerNormalization(axes: [2], epsilon: 1e-3, hasScale: true, hasCenter: true),
      RMSNormalization(axes: [2], denominator: .meanSquare, epsilon: 1e-3),
      UnitNormalization(axes: [2]), SumNormalization(axes: [2], epsilon: 1),
    ] as [any CatalogOperator])
  func lanes(operation: any CatalogOperator) throws {
    let weights = (0..<operation.inputs.count - 1).map { random([65], UInt64($0)) }
    for shape in [[3, 130, 65], [1, 700, 65]] {
      let input = random(shape, 7)
      let whole = try operation.evaluate([input] + weights, workers: workers)[0]
      #expect(whole.shape == shape)
      for row in [0, 63, 64, shape[1] - 1] {
        let part = try operation.evaluate(
          [input.slice(row..<row + 1, along: 1)] + weights, workers: workers)[0]
        let expected = whole.slice(row..<row + 1, along: 1)
        #expect(part.contiguousBytes() == expected.contiguousBytes())
      }
    }
  }

  @Test(
    "Operands of every kind are broadcast piece by piece",
    arguments: [
      [1, 1, 1], [1, 1, 9], [1, 1100, 1], [2, 1, 9], [2, 1, 1], [2, 1100, 1], [2, 1100, 9],
    ])
  func operands(shape: [Int]) throws {
    let (input, other) = (random([2, 1100, 9], 8), random(shape, 9))
    let expected = zip(input.doubles, other.broadcast(to: input.shape).doubles).map { $0 * $1 }
    for input in [input, input.permuted([0, 2, 1]).contiguous().permuted([0, 2, 1])] {
      let result = try Multiply().evaluate([input, other], workers: workers)[0]
      #expect(result.floats == expected.map { Float($0) })
    }
  }
}
