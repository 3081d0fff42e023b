import Studio
import Testing
import Weighbridge

/// The numbers here were worked out by hand, by the formulas of plane geometry.
@Suite struct SketchTests {
  @Test func `The box is that of all strokes and 5 points around it`() throws {
    let sketch = try Sketch([[100, 50, 140, 50], [120, 30, 120, 110]])
    let frame = SketchFrame(sketch)
    #expect(frame.box == .init(x: 95, y: 25, width: 50, height: 90))
    #expect(frame.side == 90)
    #expect(frame.origin == .init(x: 75, y: 25))
  }

  @Test func `A side that is no whole number of points is rounded up, and the box stays centred`()
    throws
  {
    let frame = SketchFrame(try Sketch([[10.25, 20.5, 13, 61.75]]))
    #expect(frame.box == .init(x: 5.25, y: 15.5, width: 12.75, height: 51.25))
    #expect(frame.side == 52)
    #expect(frame.origin == .init(x: -14.375, y: 15.125))
  }

  @Test func `A dot is a disc of 10 points in a square of 10 points`() throws {
    let image = Image(try Sketch([[200, 300]]))
    #expect(image.width == 10 && image.height == 10)
    // The middle is black; a corner's pixel has its centre 4.5 * sqrt(2) = 6.4 points away.
    #expect(gray(image, 5, 5) == 0)
    #expect(gray(image, 0, 0) == 255)
    // 25 pi = 78.54 of 100 points are inside.
    #expect(abs(ink(image) - 78.54) < 1)
  }

  @Test func `A horizontal line is 10 points thick and has round ends`() throws {
    let image = Image(try Sketch([[100, 50, 140, 50]]))
    #expect(image.width == 50 && image.height == 50)
    // The line is at 25: rows 20 to 29 are black and those beside them white.
    #expect(
      (18...31).map { gray(image, 25, $0) } == [255, 255] + Array(repeating: 0, count: 10) + [
        255, 255,
      ])
    // 40 * 10 + 25 pi.
    #expect(abs(ink(image) - 478.54) < 2)
    #expect(gray(image, 0, 20) == 255)
    // Beside the end's leftmost point the disc leaves 0.033 of the pixel free.
    #expect(abs(Int(gray(image, 0, 25)) - 8) < 4)
  }

  @Test func `An edge in the middle of a pixel makes it half as dark`() throws {
    // The side is 51, so the line is at 25.5.
    let image = Image(try Sketch([[100, 50, 141, 50]]))
    #expect(image.width == 51)
    #expect(gray(image, 25, 20) == 128 || gray(image, 25, 20) == 127)
    #expect(gray(image, 25, 25) == 0)
    #expect(gray(image, 25, 19) == 255)
  }

  @Test func `A long line in pieces is one line`() throws {
    // 100 points along a diagonal of 3 to 4.
    let image = Image(try Sketch([[20, 20, 80, 100]]))
    #expect(image.width == 90)
    #expect(abs(ink(image) - (100 * 10 + 78.54)) < 5)
  }

  @Test func `Strokes that cross are drawn once`() throws {
    // Two lines of 40 by 10 with round ends, which share the square of 10 by 10 in the middle.
    let image = Image(try Sketch([[100, 50, 140, 50], [120, 30, 120, 70]]))
    #expect(abs(ink(image) - (2 * 478.54 - 100)) < 4)
  }

  @Test(arguments: [
    [], [[]], [[1, 2, 3]], [[-1, 2]], [[1, 2001]], [[.nan, 1]], [[.infinity, 1]],
  ])
  func `Strokes that are none are refused`(_ strokes: [[Double]]) {
    #expect(throws: StudioError.self) { try Sketch(strokes) }
  }

  @Test func `So many points are taken and no more`() throws {
    let stroke = [Double](repeating: 7, count: 2 * Sketch.pointLimit)
    #expect(SketchFrame(try Sketch([stroke])).side == 10)
    #expect(throws: StudioError.self) { try Sketch([stroke, [1, 1]]) }
  }

  private func gray(_ image: Image, _ x: Int, _ y: Int) -> UInt8 {
    image.pixels[(y * image.width + x) * 3]
  }

  /// The area that is covered, in pixels.
  private func ink(_ image: Image) -> Double {
    let grays = stride(from: 0, to: image.pixels.count, by: 3).map { Double(image.pixels[$0]) }
    return grays.reduce(0) { $0 + 1 - $1 / 255 }
  }
}
