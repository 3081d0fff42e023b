/// A box from a model's output, with every class that it may belong to.
package struct Candidate: Hashable, Sendable {
  /// A class with its confidence.
  package struct Score: Hashable, Sendable {
    /// The index of the class, from 0.
    package let classIndex: Int
    /// The model's confidence, 0...1.
    package let confidence: Double

    /// Creates a score.
    package init(classIndex: Int, confidence: Double) {
      self.classIndex = classIndex
      self.confidence = confidence
    }
  }

  /// The box: at first in the input's unit square, later in the image's.
  package var box: Box
  /// The model's confidence that there is any object; 1 if the model does not give one.
  package var objectness: Double
  /// The classes above the threshold, by index.
  package var scores: [Score]

  /// Creates a candidate.
  package init(box: Box, objectness: Double, scores: [Score]) {
    self.box = box
    self.objectness = objectness
    self.scores = scores
  }

  /// Returns the candidate in the coordinates of the image, given its placement in the input.
  package func mappedToImage(_ placement: ImagePlacement) -> Candidate {
    let origin = placement.pointInImage(x: box.x, y: box.y)
    let size = placement.dimensionInImage(width: box.width, height: box.height)
    var copy = self
    copy.box = Box(x: origin.x, y: origin.y, width: size.width, height: size.height)
    return copy
  }
}
