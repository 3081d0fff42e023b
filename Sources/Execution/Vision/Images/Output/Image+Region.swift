extension Image {
  /// Returns a region of the image; pixels outside the image repeat the nearest edge pixel.
  package func region(x: Int, y: Int, width: Int, height: Int) -> Image {
    if x == 0, y == 0, width == self.width, height == self.height { return self }
    let columns = (x..<x + width).map { min(max($0, 0), self.width - 1) * 3 }
    var region: [UInt8] = []
    region.reserveCapacity(width * height * 3)
    for row in y..<y + height {
      let start = min(max(row, 0), self.height - 1) * self.width * 3
      for column in columns { region += pixels[start + column..<start + column + 3] }
    }
    return Image(width: width, height: height, pixels: region)
  }
}
