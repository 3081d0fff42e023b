import Testing
import Weighbridge

@Suite("The place of an image in a model's input")
struct PlacementTests {
  private func placement(
    _ policy: ImageInput.ResizePolicy, _ image: (Int, Int), _ input: (Int, Int)
  ) throws -> ImagePlacement {
    let record = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: policy, layout: .channelsFirst)
    let pixels = [UInt8](repeating: 0, count: image.0 * image.1 * 3)
    return try Image(width: image.0, height: image.1, pixels: pixels).tensor(
      for: record, width: input.0, height: input.1, policy: policy, resampling: .darknet
    ).placement
  }

  @Test("A letterbox leaves bars on two sides; boxes map back as in darknet's correct_yolo_boxes")
  func letterbox() throws {
    let wide = try placement(.letterbox, (768, 576), (416, 416))
    #expect(wide == ImagePlacement(scale: (1, 0.75), offset: (0, 0.125)))
    let corner = wide.pointInImage(x: 0.25, y: 0.125)
    #expect(corner == (0.25, 0))
    #expect(wide.dimensionInImage(width: 0.5, height: 0.375) == (0.5, 0.5))
    let high = try placement(.letterbox, (100, 200), (64, 32))
    #expect(high == ImagePlacement(scale: (0.25, 1), offset: (0.375, 0)))
    // 33 * 10 / 20 is 16 rows, with half a row more above than below.
    let odd = try placement(.letterbox, (20, 10), (33, 33))
    #expect(odd == ImagePlacement(scale: (1, 16 / 33.0), offset: (0, 8.5 / 33)))
  }

  @Test("A stretched image fills the input")
  func stretch() throws {
    #expect(try placement(.stretch, (768, 576), (416, 320)) == .filling)
  }

  @Test("A cut image is scaled until its shorter side fits; the centered part fills the input")
  func centerCrop() throws {
    let square = try placement(.centerCrop, (768, 576), (416, 416))
    let (left, right) = (square.pointInImage(x: 0, y: 0), square.pointInImage(x: 1, y: 1))
    // 768 * 416 / 576 is 554 columns, of which 69 are cut off on either side.
    #expect((left.x - 69 / 554.0).magnitude < 1e-12 && left.y == 0)
    #expect((right.x - 485 / 554.0).magnitude < 1e-12 && right.y == 1)
    let wide = try placement(.centerCrop, (100, 100), (30, 10))
    #expect((wide.pointInImage(x: 0, y: 0).y - 1 / 3.0).magnitude < 1e-12)
    #expect((wide.dimensionInImage(width: 1, height: 1).height - 1 / 3.0).magnitude < 1e-12)
  }
}
