/// A box as a model's output holds it, with every class that it may be.
package struct Candidate: Hashable, Sendable {
  /// A class with how likely it is.
  package struct Score: Hashable, Sendable {
    /// The class's position, from 0.
    package let classIndex: Int
    /// How sure the model is, 0...1.
    package let confidence: Double

    /// Makes a score.
    package init(classIndex: Int, confidence: Double) {
      self.classIndex = classIndex
      self.confidence = confidence
    }
  }

  /// Where it is: in the input's unit square at first, in the image's later.
  package var box: Box
  /// How sure the model is that there is any object; 1 where it does not say.
  package var objectness: Double
  /// The classes above the threshold, by position.
  package var scores: [Score]

  /// Makes a candidate.
  package init(box: Box, objectness: Double, scores: [Score]) {
    self.box = box
    self.objectness = objectness
    self.scores = scores
  }

  /// The same in the image that lies so in the input.
  package func placed(_ placement: ImagePlacement) -> Candidate {
    let origin = placement.pointInImage(x: box.x, y: box.y)
    let dimension = placement.dimensionInImage(width: box.width, height: box.height)
    var copy = self
    copy.box = Box(x: origin.x, y: origin.y, width: dimension.width, height: dimension.height)
    return copy
  }
}
