"""Draws birds.csv and tasting.csv, which are made up: python3 made.py, in this folder."""

import math
import random

draw = random.Random(39)


def count(rate):
    """A Poisson count."""
    n, left = 0, math.exp(-rate)
    chance = draw.random()
    while chance > left:
        n, chance = n + 1, chance * draw.random()
    return n


with open("birds.csv", "w") as file:
    file.write("altitude,forest,log_hours,birds\n")
    for _ in range(300):
        altitude, forest, hours = round(draw.uniform(200, 2400)), round(draw.random(), 2), draw.choice([0.5, 1, 2, 4])
        rate = math.exp(2.5 * math.exp(-(((altitude - 1100) / 500) ** 2)) - 1 + forest)
        crowd = draw.gammavariate(4, 1 / 4)  # a variance of λ + λ²/4
        file.write(f"{altitude},{forest},{math.log(hours):.4f},{count(hours * rate * crowd)}\n")

with open("tasting.csv", "w") as file:
    file.write("acidity,sugar,months,verdict\n")
    for _ in range(300):
        acidity, sugar, months = round(draw.uniform(3, 9), 1), round(draw.uniform(0, 12), 1), draw.randrange(0, 36)
        liked = 2 - ((acidity - 6) / 1.5) ** 2 - ((sugar - 5) / 5) ** 2 + months / 20 + draw.gauss(0, 0.5)
        verdict = ["poor", "fair", "good", "excellent"][sum(liked > cut for cut in (-0.5, 1, 2))]
        file.write(f"{acidity},{sugar},{months},{verdict}\n")
