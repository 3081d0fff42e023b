import TestSupport
import Testing
import Weighbridge

/// An image resized by another program: `<resampling> <policy or gray> <width>x<height>`.
struct Resized: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let expected: Tensor
  let resampling: Resampling
  let policy: ImageInput.ResizePolicy
  let isGray: Bool

  init?(_ array: NamedTensor) {
    let parts = array.name.split(separator: " ").map(String.init)
    guard parts.count == 3, let resampling = Resampling(rawValue: parts[0]) else { return nil }
    testDescription = array.name
    expected = array.tensor
    self.resampling = resampling
    isGray = parts[1] == "gray"
    policy = ImageInput.ResizePolicy(rawValue: parts[1]) ?? .stretch
  }

  static func all(_ file: String) -> [Resized] {
    ((try? SampleImages.recorded(file)) ?? []).compactMap(Resized.init)
  }

  /// The resized drawing, with the axes of the recording.
  func resizedDrawing() throws -> [Double] {
    let input = ImageInput(
      colorOrder: isGray ? .gray : .rgb, scale: 1, bias: isGray ? [0] : [0, 0, 0], resize: nil,
      layout: .channelsLast)
    return try SampleImages.drawing().tensor(
      for: input, width: expected.shape[1], height: expected.shape[0], policy: policy,
      resampling: resampling
    ).tensor.doubles
  }

  /// The largest difference from the recording.
  func distance() throws -> Double {
    let actual = try resizedDrawing()
    guard actual.count == expected.count else { return .infinity }
    return zip(actual, expected.doubles).map { ($0 - $1).magnitude }.max() ?? .infinity
  }
}

@Suite("Resizing images")
struct ResizingTests {
  private static let byPillow = Resized.all("resized_by_pillow.npz")
  private static let byTensorFlow = Resized.all("resized_by_tensorflow.npz")

  @Test("There are recordings of every resampling and resize policy")
  func completeness() {
    let all = Self.byPillow + Self.byTensorFlow
    #expect(all.count == 42)
    #expect(Set(all.map(\.resampling)) == Set(Resampling.allCases))
    #expect(Set(all.map(\.policy)) == Set(ImageInput.ResizePolicy.allCases))
  }

  @Test("Whole numbers are those that Pillow computes", arguments: byPillow)
  func pillow(_ resized: Resized) throws { #expect(try resized.distance() == 0) }

  @Test("Interpolated numbers are those that TensorFlow computes", arguments: byTensorFlow)
  func tensorFlow(_ resized: Resized) throws {
    // Of 0...255; both compute in float32.
    #expect(try resized.distance() <= 1e-3)
  }

  @Test(
    "A center crop equals the middle of the scaled image", arguments: Resampling.allCases,
    [(16, 16, 22, 16), (33, 11, 33, 23), (9, 60, 85, 60), (1, 1, 1, 1)])
  func centerCrop(_ resampling: Resampling, sizes: (Int, Int, Int, Int)) throws {
    let (width, height, scaledWidth, scaledHeight) = sizes
    func tensor(_ width: Int, _ height: Int, _ policy: ImageInput.ResizePolicy) throws -> [Double] {
      let input = ImageInput(
        colorOrder: .gray, scale: 1, bias: [0], resize: nil, layout: .channelsLast)
      return try SampleImages.drawing().tensor(
        for: input, width: width, height: height, policy: policy, resampling: resampling
      ).tensor.doubles
    }
    let scaled = try tensor(scaledWidth, scaledHeight, .stretch)
    let (left, top) = ((scaledWidth - width) / 2, (scaledHeight - height) / 2)
    let middle = (top..<top + height).flatMap { row in
      scaled[row * scaledWidth + left..<row * scaledWidth + left + width]
    }
    #expect(try tensor(width, height, .centerCrop) == middle)
  }

  @Test("A center crop of a long strip does not scale the whole strip")
  func strip() throws {
    // Scaled as a whole, it would be 400 million pixels wide.
    let strip = Image(
      width: 2_000_000, height: 2, pixels: [UInt8](repeating: 80, count: 2_000_000 * 2 * 3))
    for resampling in Resampling.allCases {
      let input = ImageInput(
        colorOrder: .gray, scale: 1, bias: [0], resize: nil, layout: .channelsLast)
      let tensor = try strip.tensor(
        for: input, width: 400, height: 400, policy: .centerCrop, resampling: resampling
      ).tensor
      // darknet's last row is incomplete.
      #expect(tensor.doubles.prefix(399 * 400).allSatisfy { ($0 - 80).magnitude < 1e-3 })
    }
  }

  @Test("Components are scaled, shifted and ordered as the model's record says")
  func components() throws {
    let image = Image(
      width: 2, height: 2,
      pixels: [
        10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120,
      ])
    func numbers(_ order: ImageInput.ColorOrder, _ bias: [Double], _ layout: DataLayout) throws
      -> Tensor
    {
      let input = ImageInput(
        colorOrder: order, scale: 0.5, bias: bias, resize: nil, layout: layout)
      return try image.tensor(
        for: input, width: 2, height: 2, policy: .stretch, resampling: .darknet
      ).tensor
    }
    let first = try numbers(.bgr, [1, 2, 3], .channelsFirst)
    #expect(first.shape == [1, 3, 2, 2])
    #expect(first.doubles == [16, 31, 46, 61, 12, 27, 42, 57, 8, 23, 38, 53])
    let last = try numbers(.rgb, [0, -1, 0], .channelsLast)
    #expect(last.shape == [1, 2, 2, 3])
    #expect(last.doubles == [5, 9, 15, 20, 24, 30, 35, 39, 45, 50, 54, 60])
    // Pillow: Image.fromarray(...).convert("L") gives 18, 48, 78, 108.
    let gray = try numbers(.gray, [0], .channelsLast)
    #expect(gray.shape == [1, 2, 2, 1])
    #expect(gray.doubles == [9, 24, 39, 54])
    #expect(failure { _ = try numbers(.gray, [0, 0, 0], .channelsLast) }?.code == .mismatch)
  }

  @Test("darknet's letterbox bars are mid-gray, before scale and bias")
  func bars() throws {
    let white = Image(width: 4, height: 2, pixels: [UInt8](repeating: 255, count: 24))
    let input = ImageInput(
      colorOrder: .rgb, scale: 2 / 255.0, bias: [-1, -1, -1], resize: nil, layout: .channelsFirst)
    let actual = try white.tensor(
      for: input, width: 8, height: 8, policy: .letterbox, resampling: .darknet
    ).tensor.doubles
    let rows = (0..<24).map { actual[$0 * 8] }
    let expected: [Double] = [0, 0, 1, 1, 1, 1, 0, 0]
    #expect(zip(rows, expected + expected + expected).allSatisfy { ($0 - $1).magnitude < 1e-6 })
  }

  @Test("An input of no size or of more than any memory is refused")
  func sizes() throws {
    let input = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)
    for (width, height) in [(0, 5), (5, -1), (.max, 2), (1 << 40, 1 << 40)] {
      let error = #expect(throws: WeighbridgeError.self) {
        try SampleImages.drawing().tensor(
          for: input, width: width, height: height, policy: .letterbox, resampling: .darknet)
      }
      let isEmpty = width <= 0 || height <= 0
      let code: WeighbridgeError.Code = isEmpty ? .mismatch : .malformed
      #expect(error?.code == code)
      let phrase = isEmpty ? "holds no image" : "the size of the input"
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test("The narrowest image leaves at least a pixel between the bars")
  func narrow() throws {
    let input = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)
    let line = Image(width: 1, height: 900, pixels: [UInt8](repeating: 200, count: 2700))
    for resampling in Resampling.allCases {
      for policy in ImageInput.ResizePolicy.allCases {
        let actual = try line.tensor(
          for: input, width: 7, height: 5, policy: policy, resampling: resampling)
        let numbers = actual.tensor.doubles
        #expect(numbers.allSatisfy { (0...255).contains($0) }, "\(resampling) \(policy)")
        #expect(numbers.contains { $0 > 190 }, "\(resampling) \(policy)")
      }
    }
  }
}
